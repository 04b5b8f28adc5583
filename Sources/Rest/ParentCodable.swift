// SPDX-License-Identifier: Apache-2.0

/// A response of which a ``Rest`` property holds one part.
///
///     struct Fruits: ParentCodable {
///         var values: [Fruit] = []
///         static func wrap(child: [Fruit]) -> Self { Fruits(values: child) }
///     }
public protocol ParentCodable: Codable {
    associatedtype ChildCodable: Codable

    /// The whole around a part: what is posted.
    static func wrap(child: ChildCodable) -> Self
}
