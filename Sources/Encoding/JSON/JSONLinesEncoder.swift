// SPDX-License-Identifier: Apache-2.0

public import StrataCore

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Encodes an array as JSON Lines: one JSON text a line, for bulk uploads and logs.
public struct JSONLinesEncoder: RequestBodyEncoder {
    /// Encodes the elements. Line breaks that it writes for readability are removed.
    package var json: JSONEncoder
    /// Default: `application/jsonl`; others say `application/x-ndjson`.
    package var contentType: String

    public init(_ json: JSONEncoder = JSONEncoder(), contentType: String = "application/jsonl") {
        self.json = json
        self.contentType = contentType
    }

    @_documentation(visibility: internal)
    public func encodeBody<Model: Encodable>(_ model: Model) throws -> EncodedBody {
        EncodedBody(.data(try encode(model)), contentType: contentType)
    }

    /// An array as one line for each element, anything else as one line. Each line ends with a line feed.
    ///
    /// - Throws: `EncodingError`.
    public func encode(_ model: some Encodable) throws -> Data {
        let text = [UInt8](try data(of: model))
        var scanner = JSONScanner(text)
        var output = Data(capacity: text.count + 1)
        do {
            guard try scanner.peekKind() == .array else {
                append(text[...], to: &output)
                return output
            }
            try scanner.expect(UInt8(ascii: "["))
            if scanner.consume(UInt8(ascii: "]")) { return output }
            repeat { append(text[try scanner.skipValue()], to: &output) } while scanner.consume(UInt8(ascii: ","))
        } catch {
            throw EncodingError.invalid(model, "the JSON encoder wrote no JSON: \(error.reason)")
        }
        return output
    }

    /// A body that is encoded while it is sent, element by element, and can be sent once.
    public func body<Elements: AsyncSequence & Sendable>(of elements: Elements) -> EncodedBody
    where Elements.Element: Encodable & Sendable {
        EncodedBody(
            .stream(
                from: elements.map { element in
                    var output = Data()
                    append([UInt8](try data(of: element))[...], to: &output)
                    return output
                }), contentType: contentType)
    }

    private func data(of model: some Encodable) throws -> Data {
        try json.json(of: model)
    }

    /// Inside of strings JSON escapes line breaks, so all that are there stand between the tokens.
    private func append(_ line: ArraySlice<UInt8>, to output: inout Data) {
        output.append(contentsOf: line.lazy.filter { $0 != 0x0A && $0 != 0x0D })
        output.append(0x0A)
    }
}
