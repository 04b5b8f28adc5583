// SPDX-License-Identifier: Apache-2.0

/// `Optional` alone conforms, so that a type or a value can be asked whether it is one. (`ExpressibleByNilLiteral` has
/// other conformers.)
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

/// Whether a value of any type is `nil`. An optional within an optional, which a dictionary of optionals gives, counts
/// too.
package func isNil(_ value: Any) -> Bool {
    guard let optional = value as? any OptionalType else { return false }
    return optional.wrappedValue.map(isNil) ?? true
}
