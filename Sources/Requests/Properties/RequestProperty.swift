// SPDX-License-Identifier: Apache-2.0

/// One of the parts that a request is made of: ``Headers``, ``QueryItems``, ``PathComponents`` or ``Body``.
public protocol RequestProperty<PropertyType>: Hashable, Sendable {
    associatedtype PropertyType

    /// What the property holds.
    var value: PropertyType { get }

    init(value: PropertyType)

    /// Both as one; this one comes first.
    func append(to property: Self) -> Self

    /// Where requests keep properties of this kind.
    @_documentation(visibility: internal)
    static var slot: WritableKeyPath<Request.Properties, Self> { get }
}

extension RequestProperty {
    /// Both as one, the left one first.
    public static func + (left: Self, right: Self) -> Self { left.append(to: right) }

    public static func += (left: inout Self, right: Self) { left = left + right }
}
