// SPDX-License-Identifier: Apache-2.0

/// How the property's value and the response's model belong together.
struct RestPart<Parent: Codable & SendableMetatype, Value: Codable & Sendable>: Sendable {
    /// The property's value in a response.
    let value: @Sendable (Parent) -> Value
    /// What is posted for a value.
    let model: @Sendable (Value) -> any Encodable

    static func part(_ path: any KeyPath<Parent, Value> & Sendable) -> Self
    where Parent: ParentCodable, Parent.ChildCodable == Value {
        RestPart(value: { $0[keyPath: path] }, model: { Parent.wrap(child: $0) })
    }
}

extension RestPart where Parent == Value {
    static var whole: Self { RestPart(value: { $0 }, model: { $0 }) }
}
