// SPDX-License-Identifier: Apache-2.0

/// A dictionary that `Codable` may write as a list of keys and values in turn: one whose keys are neither strings nor
/// integers.
private protocol ListedDictionary {
    func named() throws -> any Encodable
}

extension Dictionary: ListedDictionary where Key: Encodable, Value: Encodable {
    fileprivate func named() throws -> any Encodable {
        Key.self is any CodingKeyRepresentable.Type ? self : try CallValue.named(self)
    }
}

/// The model for a query or a form, where each entry of a dictionary that is not nested has a name, whatever its keys are.
///
/// - Throws: when a key has no text.
func withNamedMembers(_ model: any Encodable) throws -> any Encodable {
    try (model as? any ListedDictionary)?.named() ?? model
}
