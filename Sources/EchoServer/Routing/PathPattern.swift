// SPDX-License-Identifier: Apache-2.0

/// A path with places: `/basic-auth/{user}/{password}`, `/bytes/{n:int}`, `/anything/{rest:path}`.
struct PathPattern: Sendable, CustomStringConvertible {
    private enum Segment: Sendable {
        case literal(String)
        case text(String)
        case integer(String)
        case rest(String)
    }

    let description: String
    private let segments: [Segment]

    init(_ text: String) {
        description = text
        segments = text.dropFirst().split(separator: "/", omittingEmptySubsequences: false).map { part in
            guard part.hasPrefix("{"), part.hasSuffix("}") else { return .literal(String(part)) }
            let pieces = part.dropFirst().dropLast().split(separator: ":", maxSplits: 1)
            let name = String(pieces[0])
            switch pieces.dropFirst().first {
            case "int": return .integer(name)
            case "path": return .rest(name)
            default: return .text(name)
            }
        }
    }

    /// The values of the places, or `nil` when the path is another one. No place takes an empty segment, and an
    /// `int` takes only digits that fit an `Int`.
    func match(_ path: [String]) -> [String: String]? {
        var values: [String: String] = [:]
        for (index, segment) in segments.enumerated() {
            guard index < path.count else { return nil }
            let part = path[index]
            switch segment {
            case .literal(let literal):
                guard part == literal else { return nil }
            case .text(let name):
                guard !part.isEmpty else { return nil }
                values[name] = part
            case .integer(let name):
                guard !part.isEmpty, part.utf8.allSatisfy({ (0x30...0x39).contains($0) }), Int(part) != nil else {
                    return nil
                }
                values[name] = part
            case .rest(let name):
                values[name] = path[index...].joined(separator: "/")
                return values
            }
        }
        return path.count == segments.count ? values : nil
    }
}
