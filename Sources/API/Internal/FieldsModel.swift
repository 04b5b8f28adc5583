// SPDX-License-Identifier: Apache-2.0

import StrataEncoding

/// A field or part of a body.
struct CallEntry {
    let name: String
    let model: any Encodable
    /// In a form, the name stays in front of an object's properties.
    var isNamed = false
    var filename: String?
    var mimeType: String?
}

/// The fields of a body as one model: an object with a member for each, in their order.
struct FieldsModel: Encodable {
    let entries: [CallEntry]

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: FieldName.self)
        for entry in entries { try container.encode(entry.model, forKey: FieldName(entry.name)) }
    }
}

/// The same for a form, where the properties of an object without a name of its own are fields beside the others.
struct FlatFieldsModel: Encodable {
    private let entries: [(entry: CallEntry, isFlat: Bool)]

    init(_ entries: [CallEntry]) {
        self.entries = entries.map { ($0, !$0.isNamed && Self.isObject($0.model)) }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: FieldName.self)
        for (entry, isFlat) in entries {
            if isFlat {
                try entry.model.encode(to: encoder)
            } else {
                try container.encode(entry.model, forKey: FieldName(entry.name))
            }
        }
    }

    /// Whether the value has properties: asked of JSON, because a type does not say it.
    private static func isObject(_ model: any Encodable) -> Bool {
        if model is any LosslessStringConvertible { return false }
        return (try? JSONValue(encoding: model))?.object != nil
    }
}

struct FieldName: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(_ name: String) { stringValue = name }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
}
