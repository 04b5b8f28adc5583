// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import StrataCore

/// The fields of the request that a response depends on (RFC 9111 §4.1), and what they were.
struct Variation: Hashable, Sendable {
    /// Names in lower case, sorted, with the value that the request had.
    var values: [(name: String, value: String?)]

    static func == (one: Variation, other: Variation) -> Bool {
        one.values.elementsEqual(other.values) { $0.name == $1.name && $0.value == $1.value }
    }

    func hash(into hasher: inout Hasher) {
        for (name, value) in values {
            hasher.combine(name)
            hasher.combine(value)
        }
    }

    static let none = Variation(values: [])

    init(values: [(name: String, value: String?)]) { self.values = values }

    /// `nil` for `*` and for what is no name of a field, which no request matches.
    init?(of response: HTTPFields, request: HTTPFields) {
        var names: Set<String> = []
        for field in response[fields: .vary] {
            for name in field.value.split(separator: ",") {
                let name = Substring(name.utf8.trimmingBlanks).asciiLowercased
                if name.isEmpty { continue }
                guard name != "*", HTTPField.Name(name) != nil else { return nil }
                names.insert(name)
            }
        }
        // Whose response it is: a request with other cookies does not get it, one without a jar's is everybody's.
        if request.contains(.cookie) { names.insert("cookie") }
        values = names.sorted().map { ($0, Self.value(of: $0, in: request)) }
    }

    func matches(_ request: HTTPFields) -> Bool {
        values.allSatisfy { Self.value(of: $0.name, in: request) == $0.value }
    }

    /// The value of a field, all of its lines as one list, without the blanks around members: what is equal in meaning
    /// whatever the field. Of languages and codings the case does not matter either (RFC 9110 §8.4.1, §12.5.4). Of what may be
    /// a secret there is a hash.
    private static func value(of name: String, in request: HTTPFields) -> String? {
        guard let name = HTTPField.Name(name) else { return nil }
        let lines = request[fields: name]
        guard !lines.isEmpty else { return nil }
        let separator = name == .cookie ? ";" : ","
        let members = lines.flatMap { line in
            line.value.split(separator: separator).map { Substring($0.utf8.trimmingBlanks) }.filter { !$0.isEmpty }
        }
        let text = members.joined(separator: separator)
        guard isOpen(name) else { return Identity.digest(text) }
        return name == .acceptLanguage || name == .acceptEncoding ? text.asciiLowercased : text
    }

    /// Whether a field tells what its client can do, and nothing of its user.
    private static func isOpen(_ name: HTTPField.Name) -> Bool {
        name == .userAgent || name.canonicalName.hasPrefix("accept")
    }
}

extension CacheEntry {
    /// The fields that the response varies with, and their values, as text that no two variations share.
    package var variationText: String {
        variation.values.map { name, value in "\(name)=\(value.map { "\($0.utf8.count):\($0)" } ?? "-")" }
            .joined(separator: "\n")
    }
}
