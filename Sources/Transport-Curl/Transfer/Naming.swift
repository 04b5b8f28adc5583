// SPDX-License-Identifier: Apache-2.0

import CStrataCurl

/// The names that an exchange's connection needs, and their addresses as far as they have been found.
struct Naming {
    struct Endpoint: Hashable {
        let name: String
        let port: Int
    }

    private let endpoints: [Endpoint]
    /// What is said when a name has no address.
    let isOfProxy: (String) -> Bool
    private var found: [String: [String]] = [:]
    private var tickets: [NameResolver.Ticket] = []
    /// The addresses as libcurl takes them. Lives as long as the exchange.
    var list: UnsafeMutablePointer<curl_slist>?

    init(_ endpoints: [Endpoint], isOfProxy: @escaping (String) -> Bool) {
        self.endpoints = endpoints
        self.isOfProxy = isOfProxy
    }

    var names: Set<String> { Set(endpoints.map(\.name)) }

    /// Whether a name has not been found yet.
    var isUnderWay: Bool { found.count < names.count }

    mutating func wait(for ticket: NameResolver.Ticket) { tickets.append(ticket) }

    mutating func note(_ addresses: [String], of name: String) { found[name] = addresses }

    mutating func cancel(_ resolver: NameResolver) {
        for ticket in tickets { resolver.cancel(ticket) }
        tickets = []
    }

    /// `+HOST:PORT:ADDRESS,ADDRESS`: libcurl forgets them in time, as it does what it has looked up itself.
    var lines: [String] {
        endpoints.compactMap { endpoint in
            guard let addresses = found[endpoint.name], !addresses.isEmpty else { return nil }
            let texts = addresses.map { $0.contains(":") ? "[\($0)]" : $0 }
            return "+\(endpoint.name):\(endpoint.port):\(texts.joined(separator: ","))"
        }
    }

    static func copy(_ list: UnsafeMutablePointer<curl_slist>) -> UnsafeMutablePointer<curl_slist>? {
        var copy: UnsafeMutablePointer<curl_slist>?
        var entry: UnsafeMutablePointer<curl_slist>? = list
        while let line = entry {
            if let longer = curl_slist_append(copy, line.pointee.data) { copy = longer }
            entry = line.pointee.next
        }
        return copy
    }

    func free() { curl_slist_free_all(list) }
}
