// SPDX-License-Identifier: Apache-2.0

import StrataCore
import StrataEncoding

/// A field or part of a body.
struct CallEntry {
    let name: String
    let model: any Encodable
    /// In a form, the name stays in front of an object's properties.
    var isNamed = false
    var filename: String?
    var mimeType: String?

    /// Whether its properties are fields beside the others in a form: asked of JSON, because a type does not say it.
    var isFlat: Bool {
        if isNamed || model is any LosslessStringConvertible { return false }
        return (try? JSONValue(encoding: model))?.object != nil
    }
}

/// The fields of a body as one model: an object with a member for each, in their order.
struct FieldsModel: Encodable {
    let entries: [CallEntry]

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: FieldName.self)
        for entry in entries { try container.encode(entry.model, forKey: FieldName(entry.name)) }
    }
}

/// The same for a form that an encoder of another kind writes.
struct FlatFieldsModel: Encodable {
    let entries: [CallEntry]

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: FieldName.self)
        for entry in entries {
            if entry.isFlat {
                try entry.model.encode(to: encoder)
            } else {
                try container.encode(entry.model, forKey: FieldName(entry.name))
            }
        }
    }
}

extension FormEncoder {
    /// The pairs of all fields, each encoded as a model of its own: a dictionary or an optional cannot write into one
    /// that has begun.
    ///
    /// - Throws: an `EncodingError`, also when two fields give the same name.
    func items(of entries: [CallEntry]) throws -> [URLFormItem] {
        var items: [URLFormItem] = []
        var names: Set<String> = []
        for entry in entries {
            let model: any Encodable = entry.isFlat ? entry.model : FieldsModel(entries: [entry])
            let new = try self.items(from: model)
            if let name = new.first(where: { names.contains($0.name) })?.name {
                throw EncodingError.invalidValue(
                    entry.model,
                    .init(codingPath: [FieldName(name)], debugDescription: "two values for the name \"\(name)\""))
            }
            names.formUnion(new.map(\.name))
            items += new
        }
        guard options.order == .sorted else { return items }
        return items.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    }
}

struct FieldName: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(_ name: String) { stringValue = name }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
}
