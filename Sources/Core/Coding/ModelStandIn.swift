// SPDX-License-Identifier: Apache-2.0

/// A model that stands for a type which cannot be decoded itself, such as a tuple.
package protocol ModelStandIn {
    /// The type that messages name in its place.
    static var standsFor: any Any.Type { get }
}

/// The name of a type in messages: the one that the caller asked for, and not its stand-in.
package func modelName(_ type: any Any.Type) -> String {
    if let optional = type as? any OptionalType.Type { return "Optional<\(modelName(optional.wrappedType))>" }
    return "\((type as? any ModelStandIn.Type)?.standsFor ?? type)"
}
