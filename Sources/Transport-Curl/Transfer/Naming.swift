// SPDX-License-Identifier: Apache-2.0

import CStrataCurl
import HTTPTypes
import StrataCore
import StrataTransportSupport

/// The names that an exchange's connection needs, and their addresses as far as they have been found.
struct Naming {
    struct Endpoint: Hashable {
        let name: String
        let port: Int
    }

    let endpoints: [Endpoint]
    /// What is said when a name has no address.
    let isOfProxy: (String) -> Bool
    private var found: [String: [String]] = [:]
    private var tickets: [NameResolver.Ticket] = []
    /// The addresses as libcurl takes them. Lives as long as the exchange.
    var list: UnsafeMutablePointer<curl_slist>?

    /// - Parameter overrides: what libcurl has been told already, `HOST:PORT:ADDRESS`; `*` is every host.
    /// - Returns: `nil` when no name has to be looked up.
    init?(of head: HTTPRequest, through proxy: ProxyAddress, except overrides: [String]) {
        let usesProxy = !proxy.url.isEmpty
        var endpoints: [Endpoint] = []
        if usesProxy { endpoints.append(Endpoint(name: proxy.host, port: Int(proxy.port))) }
        if !usesProxy || proxy.resolvesHere, let target = Self.target(of: head) { endpoints.append(target) }
        endpoints.removeAll { endpoint in
            !Self.isName(endpoint.name)
                || overrides.contains {
                    $0.hasPrefix("\(endpoint.name):\(endpoint.port):") || $0.hasPrefix("*:\(endpoint.port):")
                }
        }
        guard !endpoints.isEmpty else { return nil }
        self.endpoints = endpoints
        isOfProxy = { usesProxy && $0 == proxy.host }
    }

    private static func target(of head: HTTPRequest) -> Endpoint? {
        guard let authority = try? URLAuthority(head.authority ?? "") else { return nil }
        return Endpoint(name: authority.host, port: authority.port ?? (head.scheme == "https" ? 443 : 80))
    }

    /// Whether it is a name that has to be looked up: libcurl reads addresses, and knows this computer's name for itself (RFC 6761
    /// §6.3).
    private static func isName(_ host: String) -> Bool {
        let host = host.asciiLowercased
        return !host.isEmpty && host != "localhost" && !host.hasSuffix(".localhost") && !host.contains(":")
            && IPAddress(host) == nil && host.first != "-" && host.first != "+"
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
