// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import StrataCore

/// A template that has been read.
struct RoutePattern: Sendable {
    enum Segment: Hashable, Sendable {
        case literal(String)
        case parameter(String, prefix: String, suffix: String)
        case rest(String)

        /// The higher, the sooner it is tried.
        var rank: [Int] {
            switch self {
            case .literal: [2, 0]
            case .parameter(_, let prefix, let suffix): [1, prefix.utf8.count + suffix.utf8.count]
            case .rest: [0, 0]
            }
        }

        /// The same for templates that fit the same requests.
        var shape: String {
            switch self {
            case .literal(let text): "=\(text)"
            case .parameter(_, let prefix, let suffix): "{\(prefix)|\(suffix)}"
            case .rest: "+"
            }
        }
    }

    private let origin: Origin?
    private let segments: [Segment]
    private let query: [(name: String, value: Segment)]

    /// - Throws: ``RouteError``.
    init(_ template: String) throws(RouteError) {
        func problem(_ text: String) -> RouteError { RouteError(description: "the route \"\(template)\": \(text)") }
        var path = template[...]
        if path.hasPrefix("http://") || path.hasPrefix("https://") {
            let scheme = path.prefix { $0 != ":" }
            let rest = path.dropFirst(scheme.count + 3)
            let authority = rest.prefix { $0 != "/" && $0 != "?" }
            guard let origin = Origin(scheme: String(scheme), authority: String(authority)) else {
                throw problem("it begins with no origin")
            }
            self.origin = origin
            path = rest.dropFirst(authority.count)
        } else {
            origin = nil
        }
        let parts = path.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let text = parts.first ?? ""
        guard text.isEmpty || text.hasPrefix("/") else { throw problem("a path begins with a slash") }
        var segments: [Segment] = []
        for segment in text.dropFirst().split(separator: "/", omittingEmptySubsequences: false) {
            do { segments.append(try Self.segment(segment)) } catch { throw problem(error.description) }
        }
        let rests = segments.filter { if case .rest = $0 { true } else { false } }
        if rests.count > 1 || rests.first.map({ $0 != segments.last }) == true {
            throw problem("{+…} stands at the end alone")
        }
        self.segments = segments
        var query: [(String, Segment)] = []
        for item in parts.dropFirst().first?.split(separator: "&") ?? [] {
            let pair = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = PercentEncoding.decodedText(pair[0].utf8, plusIsSpace: true)
            do { query.append((name, try Self.segment(pair.count == 2 ? pair[1] : ""))) } catch {
                throw problem(error.description)
            }
        }
        self.query = query
        let names = (segments + query.map(\.1)).compactMap(\.parameterName)
        guard Set(names).count == names.count else { throw problem("two parameters have one name") }
    }

    private static func segment(_ text: Substring) throws(RouteError) -> Segment {
        guard let open = text.firstIndex(of: "{") else {
            guard !text.contains("}") else { throw RouteError(description: "a brace closes that was not opened") }
            return .literal(PercentEncoding.decodedText(text.utf8))
        }
        guard let close = text[open...].firstIndex(of: "}") else {
            throw RouteError(description: "a brace does not close")
        }
        var name = text[text.index(after: open)..<close]
        let (prefix, suffix) = (text[..<open], text[text.index(after: close)...])
        guard !suffix.contains("{"), !suffix.contains("}") else {
            throw RouteError(description: "a segment has one parameter at most")
        }
        let isRest = name.first == "+"
        if isRest { name = name.dropFirst() }
        guard !name.isEmpty, !name.contains("{") else { throw RouteError(description: "a parameter has no name") }
        if isRest {
            guard prefix.isEmpty, suffix.isEmpty else { throw RouteError(description: "{+…} is a segment of its own") }
            return .rest(String(name))
        }
        return .parameter(
            String(name), prefix: PercentEncoding.decodedText(prefix.utf8),
            suffix: PercentEncoding.decodedText(suffix.utf8))
    }

    /// The same for templates that fit the same requests.
    var shape: [String] {
        [origin?.description ?? ""] + segments.map(\.shape) + ["?"]
            + query.map { "\($0.name)\($0.value.shape)" }.sorted()
    }

    /// Whether this template is tried before another that fits, too.
    func isMoreSpecific(than other: RoutePattern) -> Bool {
        for (one, two) in zip(segments, other.segments) where one.rank != two.rank {
            return two.rank.lexicographicallyPrecedes(one.rank)
        }
        // Those of a longer template stand where the other has its rest, which has lost already.
        if segments.count != other.segments.count { return segments.count > other.segments.count }
        if (origin == nil) != (other.origin == nil) { return origin != nil }
        let (one, two) = (query, other.query)
        if one.count != two.count { return one.count > two.count }
        return one.filter(\.value.isLiteral).count > two.filter(\.value.isLiteral).count
    }

    /// What the parameters stand for; `nil` when the request does not fit.
    func parameters(in head: HTTPRequest) -> [String: String]? {
        if let origin, Origin(scheme: head.scheme, authority: head.authority) != origin { return nil }
        let target = head.path ?? "/"
        let path = target.prefix { $0 != "?" }
        guard var found = parameters(inPath: path) else { return nil }
        guard !query.isEmpty else { return found }
        var items = target.dropFirst(path.count + 1).split(separator: "&").map { item in
            let pair = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return pair.map { PercentEncoding.decodedText($0.utf8, plusIsSpace: true) }
        }
        for (name, value) in query {
            let index = items.firstIndex { item in
                item[0].utf8.elementsEqual(name.utf8) && value.parameters(in: item.count == 2 ? item[1] : "") != nil
            }
            guard let index else { return nil }
            let item = items.remove(at: index)
            found.merge(value.parameters(in: item.count == 2 ? item[1] : "") ?? [:]) { $1 }
        }
        return found
    }

    private func parameters(inPath path: Substring) -> [String: String]? {
        let parts = path.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
        var found: [String: String] = [:]
        for (index, segment) in segments.enumerated() {
            if case .rest(let name) = segment {
                guard index < parts.count else { return nil }
                let rest = parts[index...].joined(separator: "/")
                guard !rest.isEmpty else { return nil }
                found[name] = PercentEncoding.decodedText(rest.utf8)
                return found
            }
            guard index < parts.count,
                let values = segment.parameters(in: PercentEncoding.decodedText(parts[index].utf8), isPath: true)
            else { return nil }
            found.merge(values) { $1 }
        }
        return parts.count == segments.count ? found : nil
    }
}

extension RoutePattern.Segment {
    var isLiteral: Bool { if case .literal = self { true } else { false } }

    var parameterName: String? {
        switch self {
        case .literal: nil
        case .parameter(let name, _, _), .rest(let name): name
        }
    }

    /// - Parameter isPath: whether a parameter has to have a character at least.
    func parameters(in text: String, isPath: Bool = false) -> [String: String]? {
        switch self {
        // By bytes: Unicode has several ways to write a letter, and a server compares none of them.
        case .literal(let literal): return literal.utf8.elementsEqual(text.utf8) ? [:] : nil
        case .rest(let name): return [name: text]
        case .parameter(let name, let prefix, let suffix):
            let (bytes, before, behind) = (Array(text.utf8), Array(prefix.utf8), Array(suffix.utf8))
            guard bytes.starts(with: before), bytes.count >= before.count + behind.count + (isPath ? 1 : 0),
                bytes.suffix(behind.count).elementsEqual(behind)
            else { return nil }
            return [name: String(decoding: bytes[before.count..<(bytes.count - behind.count)], as: UTF8.self)]
        }
    }
}
