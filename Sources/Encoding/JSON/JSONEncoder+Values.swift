// SPDX-License-Identifier: Apache-2.0

package import StrataCore

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

extension JSONEncoder {
    /// A value as text.
    ///
    /// A ``JSONValue`` is written with every digit it has, its keys sorted. Values that `Codable` writes as few servers
    /// read them are written as everywhere else: a duration as seconds, a time zone or a locale as its identifier, a
    /// dictionary whose keys have texts as an object. So are they in optionals and collections. What is inside of any
    /// other type is for that type and `JSONEncoder` to say.
    ///
    /// - Throws: `EncodingError`, also for a file URL wherever it is.
    package func json(of model: any Encodable, at path: [any CodingKey] = []) throws -> Data {
        guard OwnJSON.isOwn(model) else { return try placed(path) { try text(of: model) } }
        var output = Data()
        try append(model, at: path, to: &output)
        return output
    }

    private func append(_ model: any Encodable, at path: [any CodingKey], to output: inout Data) throws {
        switch try placed(path, { try OwnJSON.value(of: model) }) {
        case .json(let value): output.append(value.serialized())
        case .model(let model): output.append(try placed(path) { try text(of: model) })
        case .array(let elements):
            output.append(UInt8(ascii: "["))
            for (index, element) in elements.enumerated() {
                if index > 0 { output.append(UInt8(ascii: ",")) }
                try append(element.encodable, at: path + [StringKey(index)], to: &output)
            }
            output.append(UInt8(ascii: "]"))
        case .object(let members):
            try append(members: members.map { ($0.name, $0.value.encodable) }, at: path, to: &output)
        }
    }

    private func append(
        members: [(name: String, value: any Encodable)], at path: [any CodingKey], to output: inout Data
    ) throws {
        output.append(UInt8(ascii: "{"))
        for (index, member) in members.enumerated() {
            if index > 0 { output.append(UInt8(ascii: ",")) }
            var name: [UInt8] = []
            JSONWriter.append(member.name, to: &name)
            output.append(contentsOf: name)
            output.append(UInt8(ascii: ":"))
            output.append(try json(of: member.value, at: path + [StringKey(member.name)]))
        }
        output.append(UInt8(ascii: "}"))
    }

    /// An object with a member for each of the values, in their order unless the encoder sorts keys.
    package func json(of values: [NamedValue]) throws -> Data {
        let keys = FormOptions.Keys(keyEncodingStrategy)
        var members: [(name: String, value: any Encodable)] = []
        var names: Set<String> = []
        for value in values {
            let name = value.isExplicit ? value.name : keys.name(of: value.name)
            guard names.insert(name).inserted else {
                throw EncodingError.invalid(value.name, at: [StringKey(name)], "two values for the name \"\(name)\"")
            }
            members.append((name, value.value))
        }
        if outputFormatting.contains(.sortedKeys) {
            members.sort { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
        }
        var output = Data()
        try append(members: members, at: [], to: &output)
        return output
    }

    /// Puts `path` in front of the place of an error.
    private func placed<Result>(_ path: [any CodingKey], _ work: () throws -> Result) throws -> Result {
        do { return try work() } catch let error as EncodingError { throw error.inside(path) }
    }
}

/// The values that are not left to `Codable` in JSON.
private enum OwnJSON {
    static func isOwn(_ model: any Encodable) -> Bool {
        if let url = model as? URL { return url.isFileURL }
        return isOwn(type(of: model))
    }

    private static func isOwn(_ type: any Any.Type) -> Bool {
        switch type {
        case is MixedValue.Type, is JSONValue.Type, is Duration.Type, is TimeZone.Type, is Locale.Type, is URL.Type:
            true
        case let optional as any OptionalType.Type: isOwn(optional.wrappedType)
        case let dictionary as any DictionaryType.Type: dictionary.hasOwnKeys || isOwn(dictionary.valueType)
        case let list as any ListType.Type: isOwn(list.elementType)
        default: type is any RangeExpression.Type
        }
    }

    /// What is written for a value of such a type.
    static func value(of model: any Encodable) throws -> MixedValue {
        try ScalarText.refuse(model)
        switch model {
        case let mixed as MixedValue:
            if case .model(let model) = mixed { return try value(of: model) }
            return mixed
        case let json as JSONValue: return .json(json)
        case let duration as Duration: return .json(.number(JSONNumber(validated: DurationText.text(of: duration))))
        case let zone as TimeZone: return .json(.string(zone.identifier))
        case let locale as Locale: return .json(.string(locale.identifier))
        case let url as URL:
            _ = try ScalarText.text(url, FormOptions())
            return .model(url)
        case let optional as any OptionalType: return try optional.wrappedEncodable.map(value) ?? .json(.null)
        case let list as any EncodableList where isOwn(type(of: model)): return .array(list.all.map { .model($0) })
        case let dictionary as any EncodableDictionary where isOwn(type(of: model)):
            return .object(try dictionary.members { try MixedValue.name(of: $0) }.map { ($0.name, .model($0.value)) })
        default: return .model(model)
        }
    }
}

extension DictionaryType {
    /// Whether the keys are others than those that `JSONEncoder` takes for data as they are.
    fileprivate static var hasOwnKeys: Bool {
        keyType != String.self && (isListedByCodable || keyType is any CodingKeyRepresentable.Type)
    }
}

extension OptionalType {
    fileprivate var wrappedEncodable: (any Encodable)? { wrappedValue.flatMap { $0 as? any Encodable } }
}

extension RequestBodyEncoder {
    /// The values as one object, whose explicit names no key strategy touches.
    package func encodeBody(of values: [NamedValue]) throws -> EncodedBody {
        if let encoder = self as? JSONEncoder {
            return EncodedBody(.data(try encoder.json(of: values)), contentType: "application/json")
        }
        // Of an encoder of another kind only the keys of dictionaries are known to stay as they are.
        let members = try values.map {
            MixedValue.Member($0.isExplicit ? $0.name : try converted($0.name), .model($0.value))
        }
        return try encodeBody(MixedValue.object(members, path: []))
    }

    /// The name that the encoder makes of a property's, as far as its JSON shows.
    private func converted(_ name: String) throws -> String {
        let body = try? encodeBody(OneProperty(name: name)).body.data
        let object = body.flatMap { try? JSONValue(parsing: $0) }?.object
        return object?.count == 1 ? object?.keys.first ?? name : name
    }
}

/// A model with one property of that name.
private struct OneProperty: Encodable {
    let name: String

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: StringKey.self)
        try container.encode(0, forKey: StringKey(name))
    }
}
