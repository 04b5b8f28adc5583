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
/// Lines end with LF or CRLF, the last may end without. Empty lines are skipped, and so is a byte order mark at the
/// start of any line: files that were put together have some.
public struct JSONLinesDecoder: ResponseBodyDecoder {
    /// Decodes the elements.
    package var json: JSONDecoder

    public init(_ json: JSONDecoder = JSONDecoder()) {
        self.json = json
    }

    @_documentation(visibility: internal)
    public var acceptedContentTypes: [String] { ["application/jsonl", "application/x-ndjson"] }

    /// - Throws: as ``decode(_:from:)``. Other encodings than UTF-8 are read as by `JSONDecoder`.
    @_documentation(visibility: internal)
    public func decode<Model: Decodable>(_ type: Model.Type, from data: Data, response: HTTPResponse) throws -> Model {
        try decode(type, from: try JSONText.utf8(data, response: response))
    }

    /// - Throws: ``JSONDecodingError`` with the line's number, also for a line that is not exactly one JSON text.
    public func decode<Model: Decodable>(_ type: Model.Type = Model.self, from data: Data) throws -> Model {
        let array = try Self.array(of: [UInt8](data))
        if type == [JSONValue].self || type == [JSONValue]?.self {
            if let values = try Self.values(in: array, lines: data) as? Model { return values }
        } else if type == [JSONValue?].self {
            // Of a bare `nil` a `JSONValue` would be `null`.
            let values = try Self.values(in: array, lines: data).map { $0.isNull ? JSONValue?.none : $0 }
            if let values = values as? Model { return values }
        }
        return try json.explained(type, from: array) {
            JSONDecodingError($0, at: $1, inLines: data, decodedAs: array, isJSON: json.readsJSONAlone)
        }
    }

    /// The lines as one array, so that the decoder is started once: a bracket at either end, and commas in place of line
    /// feeds. So each byte stands one place behind its own in the lines.
    private static func array(of lines: [UInt8]) throws -> Data {
        var array = Array("[".utf8)
        array.reserveCapacity(lines.count + 2)
        var start = 0
        var isFirst = true
        while start < lines.count {
            let end = lines[start...].firstIndex(of: 0x0A) ?? lines.count
            var line = lines[start..<end]
            if line.starts(with: TextCharset.byteOrderMark) {
                line.replaceSubrange(start..<(start + 3), with: [0x20, 0x20, 0x20])
            }
            if line.contains(where: { !$0.isWhitespace }) {
                try check(line, in: lines)
                if !isFirst { array[start] = UInt8(ascii: ",") }
                isFirst = false
            }
            array += line
            array.append(0x0A)
            start = end + 1
        }
        array.append(UInt8(ascii: "]"))
        return Data(array)
    }

    /// The lines as values. The array around them counts for no level, so that each may be as deep, and have as many
    /// digits, as a text of its own.
    private static func values(in array: Data, lines: Data) throws -> [JSONValue] {
        var scanner = JSONScanner([UInt8](array))
        do {
            return try JSONValue.parse(&scanner, depth: -1).array ?? []
        } catch {
            throw notJSON(error, at: error.offset - 1, in: lines)
        }
    }

    private static func check(_ line: ArraySlice<UInt8>, in lines: [UInt8]) throws {
        var scanner = JSONScanner(Array(line))
        do {
            try scanner.skipValue()
            try scanner.expectEnd()
        } catch {
            throw notJSON(error, at: line.startIndex + error.offset, in: Data(lines))
        }
    }

    private static func notJSON(_ error: JSONScanner.Failure, at offset: Int, in lines: Data) -> JSONDecodingError {
        let context = DecodingError.Context(codingPath: [], debugDescription: "a line is not JSON: \(error.reason)")
        return JSONDecodingError(.dataCorrupted(context), reason: error.reason, offset: offset, in: lines)
    }
}
