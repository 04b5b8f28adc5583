// SPDX-License-Identifier: Apache-2.0

/// `Optional`, to ask a type or a value whether it is one; not the other types that have a literal `nil`.
package protocol OptionalType {
    static var absent: Self { get }
    static var wrappedType: any Any.Type { get }
    var wrappedValue: Any? { get }
}

extension Optional: OptionalType {
    package static var absent: Self { .none }
    package static var wrappedType: any Any.Type { Wrapped.self }
    package var wrappedValue: Any? { map { $0 } }
}
