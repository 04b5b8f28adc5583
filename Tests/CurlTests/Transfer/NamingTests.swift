// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import StrataTransportSupport
import Testing

@testable import StrataCurl

struct NamingTests {
    struct Case: CustomTestStringConvertible, Sendable {
        var target: String
        var proxy = ""
        var overrides: [String] = []
        var names: [String]

        var testDescription: String { "\(target) through \(proxy), \(overrides)" }
    }

    @Test(arguments: [
        Case(target: "a.example", names: ["a.example:80"]),
        Case(target: "a.example:8080", names: ["a.example:8080"]),
        Case(target: "127.0.0.1", names: []),
        Case(target: "[::1]", names: []),
        Case(target: "localhost", names: []),
        Case(target: "b.localhost", names: []),
        Case(target: "a.example", proxy: "http://p.example:1", names: ["p.example:1"]),
        Case(target: "a.example", proxy: "socks5h://p.example:1", names: ["p.example:1"]),
        Case(target: "a.example", proxy: "socks5://p.example:1", names: ["p.example:1", "a.example:80"]),
        Case(target: "a.example", proxy: "socks4://127.0.0.1:1", names: ["a.example:80"]),
        Case(target: "127.0.0.1", proxy: "socks5://127.0.0.1:1", names: []),
        Case(target: "a.example", overrides: ["a.example:80:127.0.0.1"], names: []),
        Case(
            target: "a.example", overrides: ["a.example:81:127.0.0.1", "b.example:80:127.0.0.1"],
            names: ["a.example:80"]),
        Case(target: "a.example", overrides: ["*:80:127.0.0.1"], names: []),
        Case(target: "a.example", proxy: "socks5://127.0.0.1:1", overrides: ["a.example:80:127.0.0.1"], names: []),
        Case(
            target: "a.example", proxy: "socks5://p.example:1", overrides: ["a.example:80:127.0.0.1"],
            names: ["p.example:1"]),
        Case(
            target: "a.example", proxy: "socks5://p.example:1", overrides: ["p.example:1:127.0.0.1"],
            names: ["a.example:80"]),
    ])
    func looksUpTheNamesWhoseAddressesNobodyHasGiven(_ input: Case) throws {
        let head = HTTPRequest(method: .get, scheme: "http", authority: input.target, path: "/")
        let naming = Naming(of: head, through: try ProxyAddress(input.proxy), except: input.overrides)
        #expect((naming?.endpoints ?? []).map { "\($0.name):\($0.port)" } == input.names)
    }
}
