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

/// Whether a value of any type is `nil`, also when it is an optional in an optional: what a dictionary of optionals gives.
package func isNil(_ value: Any) -> Bool {
    guard let optional = value as? any OptionalType else { return false }
    return optional.wrappedValue.map(isNil) ?? true
}
