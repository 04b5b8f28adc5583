// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension JSONValue {
    /// A dictionary of mixed values, as `JSONSerialization` and old code pass them around.
    ///
    ///     let body = try JSONValue(["name": name, "tags": ["a", "b"], "age": nil as Int? as Any])
    ///
    /// Nested dictionaries and arrays, text, numbers, `Bool`, `nil`, `NSNull`, `NSNumber` and everything `Encodable`
    /// are taken.
    ///
    /// - `encoder`: turns values such as `Date` and models into JSON.
    /// - Throws: `EncodingError.invalidValue` with the path of the first value that JSON cannot hold.
    public init(_ members: [String: Any], encoder: JSONEncoder = JSONEncoder()) throws {
        self = try JSONValue(encoding: MixedValue(members), encoder: encoder)
    }

    /// An array of mixed values; see ``init(_:encoder:)-([String:Any],_)``.
    public init(_ elements: [Any], encoder: JSONEncoder = JSONEncoder()) throws {
        self = try JSONValue(encoding: MixedValue(elements), encoder: encoder)
    }

    /// Any model, through its `Encodable`.
    ///
    /// - Throws: `EncodingError`; `DecodingError` for a text of the encoder's that is deeper than `maximumDepth`.
    public init(encoding model: some Encodable, encoder: JSONEncoder = JSONEncoder()) throws {
        self = try model as? JSONValue ?? JSONValue(parsing: encoder.json(of: model))
    }
}
