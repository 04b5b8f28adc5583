// SPDX-License-Identifier: Apache-2.0

/// The name and the default of a typed attribute; see ``RequestOptions/subscript(_:)``.
public protocol RequestAttributeKey: SendableMetatype {
    associatedtype Value: Sendable
    static var defaultValue: Value { get }
}

extension [ObjectIdentifier: any Sendable] {
    /// The value of an attribute; `nil` when it was not set.
    func value<Attribute: RequestAttributeKey>(of attribute: Attribute.Type) -> Attribute.Value? {
        // A missing value could be cast to an optional type, and would look like `.some(nil)`. So look for it first.
        guard let value = self[ObjectIdentifier(attribute)] else { return nil }
        return value as? Attribute.Value
    }
}
