// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
public import StrataCore

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Decodes a whole body of JSON Lines as an array. To read one while it arrives use `StrataStreaming`.
///
/// Lines end with LF or CRLF, the last may end without; empty lines are passed over.
public struct JSONLinesDecoder: ResponseBodyDecoder {
    /// Decodes the elements.
    public var json: JSONDecoder

    public init(_ json: JSONDecoder = JSONDecoder()) {
        self.json = json
    }

    public var acceptedContentTypes: [String] { ["application/jsonl", "application/x-ndjson"] }

    public func decode<Model: Decodable>(_ type: Model.Type, from data: Data, response: HTTPResponse) throws -> Model {
        try decode(type, from: data)
    }

    /// - Throws: ``JSONDecodingError`` with the line's number, also for a line that is not exactly one JSON text.
    public func decode<Model: Decodable>(_ type: Model.Type = Model.self, from data: Data) throws -> Model {
        // One array over the same lines: the decoder is started once, and its errors tell the right line.
        var array = Data(capacity: data.count + 2)
        array.append(UInt8(ascii: "["))
        var lineBreaks = 0
        var isFirst = true
        for line in data.split(separator: 0x0A, omittingEmptySubsequences: false) {
            if line.contains(where: { $0 != 0x20 && $0 != 0x09 && $0 != 0x0D }) {
                if !isFirst { array.append(UInt8(ascii: ",")) }
                isFirst = false
                array.append(contentsOf: repeatElement(0x0A, count: lineBreaks))
                lineBreaks = 0
                try check(line, after: array)
                array.append(line)
            }
            lineBreaks += 1
        }
        array.append(UInt8(ascii: "]"))
        return try json.explained(type, from: array)
    }

    private func check(_ line: Data, after before: Data) throws {
        var scanner = JSONScanner([UInt8](line))
        do {
            try scanner.skipValue()
            try scanner.expectEnd()
        } catch {
            let context = DecodingError.Context(codingPath: [], debugDescription: "a line is not JSON: \(error.reason)")
            throw JSONDecodingError(
                .dataCorrupted(context), reason: error.reason, offset: before.count + error.offset, in: before + line)
        }
    }
}
