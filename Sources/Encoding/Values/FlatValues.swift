// SPDX-License-Identifier: Apache-2.0

package import StrataCore

extension RequestBodyEncoder {
    /// The values as a form by an encoder that is not this module's: the properties of an object that has no explicit name
    /// stand in its place.
    package func encodeForm(of values: [NamedValue]) throws -> EncodedBody {
        let context = ValueEncoder.Context(options: FormOptions(), userInfo: [:], depth: 1)
        let isFlat = try values.map { try !$0.isExplicit && context.encode($0.value).isObject }
        guard isFlat.contains(true) else { return try encodeBody(of: values) }
        return try encodeBody(FlatValues(values: Array(zip(values, isFlat))))
    }
}

/// One model of all the values.
private struct FlatValues: Encodable {
    let values: [(value: NamedValue, isFlat: Bool)]

    func encode(to encoder: any Encoder) throws {
        for (value, isFlat) in values {
            if !isFlat {
                var container = encoder.container(keyedBy: StringKey.self)
                try container.encode(value.value, forKey: StringKey(value.name))
            } else if case .object(let members)? = value.value as? MixedValue {
                var container = encoder.container(keyedBy: StringKey.self)
                for member in members { try container.encode(member.value, forKey: StringKey(member.name)) }
            } else {
                try value.value.encode(to: encoder)
            }
        }
    }
}
