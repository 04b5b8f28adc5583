// SPDX-License-Identifier: Apache-2.0

public import StrataCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A `DecodingError` of `JSONDecoder` together with the place in the text that it is about.
///
///     items[3].price: expected Double, found a string (line 7, column 14)
///
/// The description shows no values, so that it may be logged; ``snippet``, ``underlying`` and `debugDescription` do.
public struct JSONDecodingError: Error, Sendable {
    /// What `JSONDecoder` threw.
    public let underlying: DecodingError
    /// Where in the text, as keys and indices: `items[3].price`. Empty for the top level.
    public private(set) var path: JSONKeyPath
    /// The type, or what the grammar asks for.
    public let expected: String
    /// What stands there: `a string`, `null`, `an object without that key` …
    public let found: String
    /// Offset in bytes of the value, or of the first byte that is not JSON.
    public let offset: Int
    /// Counted from 1; a column is a byte.
    public let line: Int
    public let column: Int
    /// The text around the place, at most 200 bytes of it; `…` marks where it was cut.
    public let snippet: String

    /// Explains `error`, which decoding `data` has thrown.
    ///
    /// - Parameters:
    ///   - place: where `error` happened, when it does not say so itself.
    ///   - isJSON: whether the decoder reads nothing else.
    init(_ error: DecodingError, at place: TracingDecoder.Place?, in data: Data, isJSON: Bool) {
        let bytes = [UInt8](data)
        self.init(error, Diagnosis(error, place, bytes, isJSON: isJSON), bytes)
    }

    /// Explains what decoding `array` has thrown, which is `lines` with one byte before them.
    init(
        _ error: DecodingError, at place: TracingDecoder.Place?, inLines lines: Data, decodedAs array: Data,
        isJSON: Bool
    ) {
        var diagnosis = Diagnosis(error, place, [UInt8](array), isJSON: isJSON)
        diagnosis.offset = max(0, diagnosis.offset - 1)
        self.init(error, diagnosis, [UInt8](lines))
    }

    /// The text stops being JSON at `offset`.
    init(_ error: DecodingError, reason: String, offset: Int, in data: Data) {
        self.init(error, Diagnosis(notJSON: reason, at: offset), [UInt8](data))
    }

    /// The same for a text that is the value at `steps` in something larger.
    func inside(_ steps: [JSONKeyPath.Step]) -> JSONDecodingError {
        var error = self
        error.path = JSONKeyPath(steps: steps + path.steps)
        return error
    }

    /// The same about `text`, in which what was decoded is the value at `keyPath`.
    func inside(_ keyPath: JSONKeyPath, of text: Data) -> JSONDecodingError {
        let bytes = [UInt8](text)
        var lookup = JSONLookup(keyPath, in: bytes)
        guard let start = (try? lookup.find())?.lowerBound else { return self }
        return JSONDecodingError(underlying, Diagnosis(inside(keyPath.steps), from: start), bytes)
    }

    private init(_ error: DecodingError, _ diagnosis: Diagnosis, _ bytes: [UInt8]) {
        underlying = error
        path = diagnosis.path
        expected = diagnosis.expected
        found = diagnosis.found
        offset = min(diagnosis.offset, bytes.count)
        let before = bytes[..<offset]
        line = before.count { $0 == 0x0A } + 1
        column = offset - ((before.lastIndex(of: 0x0A) ?? -1) + 1) + 1
        snippet = Self.snippet(of: bytes, around: diagnosis.offset)
    }

    private static let snippetLimit = 200
    private static let contextBefore = 60

    private static func snippet(of bytes: [UInt8], around offset: Int) -> String {
        let start = max(0, offset - contextBefore)
        let end = min(bytes.count, start + snippetLimit)
        guard start < end else { return "" }
        let text = String(decoding: bytes[start..<end].map { $0 < 0x20 ? 0x20 : $0 }, as: UTF8.self)
        return (start > 0 ? "…" : "") + text + (end < bytes.count ? "…" : "")
    }
}

extension JSONDecodingError: CustomDebugStringConvertible, DescribedError {
    public var description: String {
        let place = path.steps.isEmpty ? "" : "\(path): "
        return "\(place)expected \(expected), found \(found) (line \(line), column \(column))"
    }

    @_documentation(visibility: internal)
    public var debugDescription: String {
        guard case .dataCorrupted(let context) = underlying else { return "\(description) near: \(snippet)" }
        return "\(description): \(context.debugDescription) near: \(snippet)"
    }
}

extension JSONDecodingError: ValueFreeError {
    package var outline: String { description }
}

extension JSONDecodingError {
    private struct Diagnosis {
        var path: JSONKeyPath
        var expected: String
        var found = "something else"
        var offset = 0

        init(_ error: DecodingError, _ place: TracingDecoder.Place?, _ bytes: [UInt8], isJSON: Bool) {
            switch error {
            case .typeMismatch(let type, let context), .valueNotFound(let type, let context):
                self.init(Self.path(context.codingPath), expected: containerName(type))
                locate(in: bytes, isJSON: isJSON)
                if let key = place?.unnamedKey, found == "an object" {
                    found += ", of which '\(key)' can be a key when it conforms to CodingKeyRepresentable"
                }
            case .keyNotFound(let key, let context):
                self.init(Self.path(context.codingPath), expected: "a value for key \"\(key.stringValue)\"")
                locate(in: bytes, isJSON: isJSON)
                if found == "an object" { found = "an object without that key" + similarKey(to: key, in: bytes) }
            case .dataCorrupted(let context):
                if let key = context.underlyingError as? UnreadKey {
                    self.init(Self.path(context.codingPath), expected: "a key of type \(key.type)")
                    try? locate(in: bytes)
                    found = "another"
                } else if let place {
                    self.init(Self.path(place.path), expected: "\(place.type)")
                    if locate(in: bytes, isJSON: isJSON) { found += " that it cannot hold" }
                } else {
                    // What the context says may quote the value: `RawRepresentable` does.
                    self.init(Self.path(context.codingPath), expected: "another value")
                    do {
                        try locate(in: bytes)
                        if path.steps.isEmpty { checkStrings(in: bytes) }
                    } catch {
                        explain(error, bytes)
                    }
                }
            @unknown default: self.init("", expected: "another value")
            }
        }

        private init(_ path: JSONKeyPath, expected: String) {
            self.path = path
            self.expected = expected
        }

        /// What `error` says of a text that begins at `start`.
        init(_ error: JSONDecodingError, from start: Int) {
            path = error.path
            expected = error.expected
            found = error.found
            offset = start + error.offset
        }

        init(notJSON reason: String, at offset: Int) {
            path = ""
            expected = "JSON"
            found = "text that is not: \(reason)"
            self.offset = offset
        }

        private static func path(_ keys: [any CodingKey]) -> JSONKeyPath {
            JSONKeyPath(
                steps: keys.map { key in
                    // Keys of dictionaries and models may have an `intValue` too; elements are called `Index 3`.
                    key.elementIndex.map { .index($0) } ?? .name(key.stringValue)
                })
        }

        /// The same, and says what is wrong with a text that should be JSON.
        ///
        /// - Returns: whether the place is there.
        @discardableResult
        private mutating func locate(in bytes: [UInt8], isJSON: Bool) -> Bool {
            do {
                try locate(in: bytes)
                return true
            } catch {
                if isJSON { explain(error, bytes) }
                return false
            }
        }

        /// - Throws: when the text is no JSON, as far as the grammar goes, or has no value at the path. JSON5 is not JSON.
        private mutating func locate(in bytes: [UInt8]) throws {
            do {
                offset = try find(path, in: bytes)
                var scanner = JSONScanner(bytes, at: offset)
                found = try scanner.peekKind().inWords
            } catch {
                if case .notJSON? = (error as? JSONKeyPathError)?.reason { throw error }
                guard case .index = path.steps.last else { throw error }
                offset = try find(JSONKeyPath(steps: path.steps.dropLast()), in: bytes)
                found = "the end of the array"
            }
        }

        /// Looks for the keys as they are, and then for the keys from which a key strategy may have made them.
        private func find(_ path: JSONKeyPath, in bytes: [UInt8]) throws -> Int {
            var lookup = JSONLookup(path, in: bytes)
            if let range = try? lookup.find() { return range.lowerBound }
            lookup = JSONLookup(path, in: bytes) { key, wanted in
                key.utf8.elementsEqual(wanted.utf8) || KeyCase.camel(key) == wanted
            }
            return try lookup.find().lowerBound
        }

        /// Names the key of the object that differs from the missing one in its case style alone. It says no more than the
        /// program's own key does.
        private func similarKey(to key: any CodingKey, in bytes: [UInt8]) -> String {
            func folded(_ name: String) -> String { name.lowercased().filter { $0.isLetter || $0.isNumber } }
            var scanner = JSONScanner(bytes, at: offset)
            let wanted = folded(key.stringValue)
            guard !wanted.isEmpty, let keys = try? JSONValue.parse(&scanner).object?.keys,
                let similar = keys.sorted().first(where: { folded($0) == wanted && $0.allSatisfy(\.isPartOfName) })
            else { return "" }
            return ", but with \"\(similar)\": see the decoder's key strategy"
        }

        /// A text that the grammar accepts may have strings that are no Unicode, or be too deep.
        private mutating func checkStrings(in bytes: [UInt8]) {
            var scanner = JSONScanner(bytes)
            do {
                _ = try JSONValue.parse(&scanner)
            } catch {
                self = Diagnosis(notJSON: error.reason, at: error.offset)
            }
        }

        private mutating func explain(_ error: any Error, _ bytes: [UInt8]) {
            guard let error = error as? JSONKeyPathError, case .notJSON(let offset, let reason) = error.reason else {
                return checkStrings(in: bytes)
            }
            self = Diagnosis(notJSON: reason, at: offset)
            if bytes.isEmpty { found = "an empty body" }
        }
    }
}

extension Character {
    fileprivate var isPartOfName: Bool { isLetter || isNumber || self == "_" || self == "-" || self == "." }
}
