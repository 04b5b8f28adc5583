// SPDX-License-Identifier: Apache-2.0

/// A model in the place of a type that cannot be one itself, such as a tuple.
package protocol ModelStandIn {
    /// What it is called in messages.
    static var standsFor: any Any.Type { get }
}

/// A type as messages name it, for who has asked for it.
package func modelName(_ type: any Any.Type) -> String {
    if let optional = type as? any OptionalType.Type { return "Optional<\(modelName(optional.wrappedType))>" }
    return "\((type as? any ModelStandIn.Type)?.standsFor ?? type)"
}
