// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import StrataCore
import StrataEncoding

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// When the bodies of two requests are the same. A body that was left out of the recording is the same as one of its size that
/// would be left out too. Messages of a WebSocket are compared in the same way; JSON is what begins as an object or an array.
public struct BodyComparison: Sendable {
    private enum Kind: Sendable {
        case automatic, exact, form(ignoring: Set<String>), json(ignoring: Set<String>)
    }

    private let kind: Kind

    /// JSON and forms, as `Content-Type` declares them, by what they mean; other bodies byte by byte.
    public static let automatic = BodyComparison(kind: .automatic)
    /// Byte by byte.
    public static let exact = BodyComparison(kind: .exact)
    /// The same JSON value, whatever the order of members and the white space. What is no JSON is compared byte by byte.
    public static let json = json(ignoring: [])
    /// The same items, in the same order among those of one name.
    public static let form = form(ignoring: [])

    /// The same JSON value, without the members of these names at any depth.
    public static func json(ignoring members: Set<String>) -> BodyComparison { .init(kind: .json(ignoring: members)) }

    /// The same items, without those of these names.
    public static func form(ignoring names: Set<String>) -> BodyComparison { .init(kind: .form(ignoring: names)) }

    func difference(_ recorded: AskedRequest, _ asked: AskedRequest) -> String? {
        let (one, other) = (recorded.recorded, asked.recorded)
        if one.hasBody != other.hasBody {
            return one.hasBody ? "a body is there and none is here" : "no body is there and one is here"
        }
        if recorded.withheldSize != nil || asked.withheldSize != nil {
            // The boundary of a multipart body changes, and its length does not.
            return recorded.withheldSize == asked.withheldSize
                ? nil : "the body is left out of the recording, and has another size"
        }
        if recorded.file != nil || asked.file != nil {
            return BodyFiles.areEqual(recorded, asked) ? nil : "the bodies differ"
        }
        return differenceInMemory(one, other)
    }

    /// Of two bodies that are in memory.
    func differenceInMemory(_ one: RecordedRequest, _ other: RecordedRequest) -> String? {
        if one.body == other.body { return nil }
        switch kind {
        case .exact: return Self.bytes(one, other)
        case .json(let ignored): return Self.json(one, other, ignored)
        case .form(let ignored):
            return FormItems(one.text).difference(from: FormItems(other.text), "form item", ignored)
        case .automatic:
            let type = HTTPFields.essence(of: other.head.headerFields[.contentType]) ?? ""
            if type.contains("json") { return Self.json(one, other, []) }
            if type == EncodedBody.formType {
                return FormItems(one.text).difference(from: FormItems(other.text), "form item", [])
            }
            return Self.bytes(one, other)
        }
    }

    private static func bytes(_ one: RecordedRequest, _ other: RecordedRequest) -> String {
        let same = zip(one.body, other.body).prefix { $0 == $1 }.count
        return "the bodies, of \(one.body.count) bytes there and \(other.body.count) here, differ at byte \(same)"
    }

    private static func json(_ one: RecordedRequest, _ other: RecordedRequest, _ ignored: Set<String>) -> String? {
        guard let there = try? one.json, let here = try? other.json else { return bytes(one, other) }
        return JSONDifference(ignoring: ignored).first(there, here, at: "body")
    }
}

/// The first place where two JSON values differ.
private struct JSONDifference {
    let ignored: Set<String>

    init(ignoring ignored: Set<String>) { self.ignored = ignored }

    /// How deep two values are compared member by member; below that, as a whole.
    private static let maximumDepth = 64

    func first(_ there: JSONValue, _ here: JSONValue, at path: String, depth: Int = 0) -> String? {
        switch (there, here) {
        case (.object(let one), .object(let other)) where depth < Self.maximumDepth:
            let names = Set(one.map(\.key)).union(other.map(\.key)).subtracting(ignored).sorted()
            return names.lazy.compactMap { name -> String? in
                guard let two = other[name] else { return "\(path).\(name) is there and not here" }
                guard let one = one[name] else { return "\(path).\(name) is here and not there" }
                return first(one, two, at: "\(path).\(name)", depth: depth + 1)
            }.first
        case (.array(let one), .array(let other)) where depth < Self.maximumDepth:
            guard one.count == other.count else {
                return "\(path) has \(one.count) elements there and \(other.count) here"
            }
            return zip(one, other).enumerated().lazy.compactMap { index, pair in
                first(pair.0, pair.1, at: "\(path)[\(index)]", depth: depth + 1)
            }.first
        default:
            return there == here ? nil : RequestMatcher.difference(path, there.description, here.description)
        }
    }
}

/// The items of a query or a form, decoded.
struct FormItems {
    private let items: [String: [String]]

    init(_ text: String?) {
        items = (text ?? "").split(separator: "&").reduce(into: [:]) { items, item in
            let parts = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = PercentEncoding.decodedText(parts[0].utf8, plusIsSpace: true)
            items[name, default: []].append(
                parts.count == 2 ? PercentEncoding.decodedText(parts[1].utf8, plusIsSpace: true) : "")
        }
    }

    func difference(from asked: FormItems, _ what: String, _ ignored: Set<String>) -> String? {
        let names = Set(items.keys).union(asked.items.keys).subtracting(ignored).sorted()
        let found = names.compactMap { name in
            RequestMatcher.difference(
                "the \(what) \(name)", items[name]?.joined(separator: ","), asked.items[name]?.joined(separator: ","))
        }
        return found.isEmpty ? nil : found.joined(separator: ", ")
    }
}

/// Compares bodies of which one at least is in a file.
private enum BodyFiles {
    static func areEqual(_ one: AskedRequest, _ other: AskedRequest) -> Bool {
        guard var first = try? source(of: one), var second = try? source(of: other) else { return false }
        var (a, b) = (Data(), Data())
        while true {
            do {
                if a.isEmpty { a = try first.next() ?? Data() }
                if b.isEmpty { b = try second.next() ?? Data() }
            } catch {
                return false
            }
            if a.isEmpty || b.isEmpty { return a.isEmpty && b.isEmpty }
            let count = min(a.count, b.count)
            guard a.prefix(count) == b.prefix(count) else { return false }
            (a, b) = (a.dropFirst(count), b.dropFirst(count))
        }
    }

    private static func source(of request: AskedRequest) throws -> Pieces {
        guard let path = request.file else { return Pieces(data: request.recorded.body) }
        let body = try RequestBody.file(URL(fileURLWithPath: path))
        return Pieces(file: try FileBodySource(path: path, offset: 0, length: body.length ?? 0))
    }

    private struct Pieces {
        var data = Data()
        var file: FileBodySource?

        mutating func next() throws -> Data? {
            if let file { return try file.next() }
            defer { data = Data() }
            return data
        }
    }
}
