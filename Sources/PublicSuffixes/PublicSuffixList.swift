// SPDX-License-Identifier: Apache-2.0

import StrataCore

/// The domains under which anybody can register a name, such as `com`, `co.uk` and `github.io`: nobody owns them, so that no
/// cookie may be set for one (RFC 6265bis §5.7).
///
///     PublicSuffixList.bundled.contains("co.uk")  // true
///
/// The rules are those of https://publicsuffix.org, of registries and of private owners. A top-level domain that the list does
/// not know counts as a public suffix, as do names without a dot.
public struct PublicSuffixList: Sendable {
    private enum Entries: Sendable {
        case bundled(StaticString)
        case read([UInt8])
    }

    private let entries: Entries

    /// The list that comes with the package, as old as ``bundledDate`` says.
    public static let bundled = PublicSuffixList(entries: .bundled(bundledEntries))

    /// A list without rules: top-level domains alone are public suffixes.
    public static let topLevelDomains = PublicSuffixList("")

    private init(entries: Entries) { self.entries = entries }

    /// A list in the format of https://publicsuffix.org/list: a newer one than ``bundled``, or the rules of a network of one's
    /// own. Rules that are not domain names are left out.
    public init(_ text: String) {
        var marks: [String: Mark] = [:]
        for line in text.split(whereSeparator: \.isNewline) {
            guard let rule = line.split(whereSeparator: \.isWhitespace).first, !rule.hasPrefix("//"),
                let (name, mark) = Mark.read(rule)
            else { continue }
            marks[name] = marks[name].map { $0.joined(with: mark) } ?? mark
        }
        let sorted = marks.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
        entries = .read(sorted.flatMap { Array($0.key.utf8) + $0.value.bytes + [UInt8(ascii: "\n")] })
    }

    /// Whether a domain is a public suffix.
    ///
    /// - Parameter domain: in ASCII and lower case, as the hosts of an `Origin` are; not an IP address. A dot at its end, which
    ///   makes a name absolute, does not count.
    public func contains(_ domain: String) -> Bool {
        var domain = domain.utf8.last == UInt8(ascii: ".") ? String(domain.dropLast()) : domain
        return domain.withUTF8 { name in
            guard let dot = name.firstIndex(of: UInt8(ascii: ".")) else { return true }
            switch mark(of: name[...]) {
            case .exception: return false
            case .exact, .wildcard: return true
            case nil: return mark(of: name[(dot + 1)...]) == .wildcard
            }
        }
    }

    private func mark(of name: Slice<UnsafeBufferPointer<UInt8>>) -> Mark? {
        switch entries {
        case .bundled(let text): text.withUTF8Buffer { Mark.find(name, in: $0) }
        case .read(let bytes): bytes.withUnsafeBufferPointer { Mark.find(name, in: $0) }
        }
    }
}

extension PublicSuffixList: CustomStringConvertible, CustomReflectable {
    public var description: String {
        switch entries {
        case .bundled: "the list of \(Self.bundledDate)"
        case .read(let bytes): "\(bytes.count { $0 <= 0x20 }) rules"
        }
    }

    /// Dumps do not show the rules.
    @_documentation(visibility: internal)
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}

/// What the rules say of a name, as it is written behind the name in the sorted list.
private enum Mark {
    /// The name is a suffix.
    case exact
    /// So are all names with one label more: `*.kawasaki.jp`. By the letter of the rules the name itself is none, but what is
    /// set for it would be set for them; libpsl and browsers count it.
    case wildcard
    /// The name is none, although a wildcard says so: `!city.kawasaki.jp`.
    case exception

    var bytes: [UInt8] {
        switch self {
        case .exact: []
        case .wildcard: [UInt8(ascii: "*")]
        case .exception: [UInt8(ascii: "!")]
        }
    }

    func joined(with other: Mark) -> Mark {
        self == .exception || other == .exception
            ? .exception : self == .wildcard || other == .wildcard ? .wildcard : .exact
    }

    /// The name of a rule in the form of hosts, and its mark.
    static func read(_ rule: Substring) -> (name: String, mark: Mark)? {
        let mark: Mark = rule.hasPrefix("!") ? .exception : rule.hasPrefix("*.") ? .wildcard : .exact
        let name = rule.dropFirst(mark == .exception ? 1 : mark == .wildcard ? 2 : 0)
        let host = Origin(scheme: "http", host: String(name)).host
        let isName = !host.isEmpty && host.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && !"!*:[/".utf8.contains($0) }
        return isName ? (host, mark) : nil
    }

    /// By bisection in a list of names with their marks, sorted by bytes, with white space between.
    static func find(_ name: Slice<UnsafeBufferPointer<UInt8>>, in list: UnsafeBufferPointer<UInt8>) -> Mark? {
        var (low, high) = (0, list.count)
        while low < high {
            // The entry around the middle, or behind it when the middle is white space.
            var start = low + (high - low) / 2
            while start > low, list[start - 1] > 0x20 { start -= 1 }
            while start < high, list[start] <= 0x20 { start += 1 }
            guard start < high else {
                high = low + (high - low) / 2
                continue
            }
            var end = start
            while end < list.count, list[end] > 0x20 { end += 1 }
            let mark = mark(at: list[end - 1])
            let order = compare(list[start..<(mark == .exact ? end : end - 1)], name)
            if order == 0 { return mark }
            if order < 0 { low = end } else { high = start }
        }
        return nil
    }

    /// Below zero when the first comes before the second, zero when they are equal.
    private static func compare(
        _ first: Slice<UnsafeBufferPointer<UInt8>>, _ second: Slice<UnsafeBufferPointer<UInt8>>
    ) -> Int {
        var (position, other) = (first.startIndex, second.startIndex)
        while position < first.endIndex, other < second.endIndex {
            let (byte, otherByte) = (first[position], second[other])
            if byte != otherByte { return byte < otherByte ? -1 : 1 }
            position += 1
            other += 1
        }
        return first.count - second.count
    }

    private static func mark(at byte: UInt8) -> Mark {
        switch byte {
        case UInt8(ascii: "*"): .wildcard
        case UInt8(ascii: "!"): .exception
        default: .exact
        }
    }
}
