// SPDX-License-Identifier: Apache-2.0

import StrataCore
import StrataEncoding

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A field or part of a body.
struct CallEntry {
    let name: String
    var model: any Encodable
    /// In a form, the name stays in front of an object's properties.
    var isNamed = false
    var filename: String?
    var mimeType: String?

    /// Whether its name stays in a form, whatever it is; else an object's properties are fields beside the others.
    var keepsItsName: Bool { isNamed || model is any LosslessStringConvertible }
}

/// The fields of a body as one model: an object with a member for each, in their order.
struct FieldsModel: Encodable {
    let entries: [CallEntry]

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: StringKey.self)
        for entry in entries { try container.encode(entry.model, forKey: StringKey(entry.name)) }
    }
}

/// The same for a form that an encoder of another kind writes.
struct FlatFieldsModel: Encodable {
    let entries: [CallEntry]

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: StringKey.self)
        for entry in entries {
            let model = try withNamedMembers(entry.model)
            if !entry.keepsItsName, isObject(model) {
                try model.encode(to: encoder)
            } else {
                try container.encode(model, forKey: StringKey(entry.name))
            }
        }
    }

    /// Asked of JSON, because a type does not say it.
    private func isObject(_ model: any Encodable) -> Bool {
        let encoder = JSONEncoder()
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "", negativeInfinity: "", nan: "")
        return (try? JSONValue(encoding: model, encoder: encoder))?.object != nil
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
            let new = try self.items(of: entry)
            if let name = new.first(where: { names.contains($0.name) })?.name {
                throw EncodingError.invalid(
                    entry.model, at: [StringKey(name)], "two values for the name \"\(name)\"")
            }
            names.formUnion(new.map(\.name))
            items += new
        }
        guard options.order == .sorted else { return items }
        return items.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    }

    /// Only an object can be a form of its own, and only the encoder knows whether a model becomes one.
    private func items(of entry: CallEntry) throws -> [URLFormItem] {
        var entry = entry
        entry.model = try withNamedMembers(entry.model)
        if !entry.keepsItsName, let items = try? items(from: entry.model) { return items }
        return try items(from: FieldsModel(entries: [entry]))
    }
}
