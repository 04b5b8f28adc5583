// SPDX-License-Identifier: Apache-2.0

import Testing

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

@testable import StrataNative

struct SocketAddressTests {
    @Test(arguments: ["127.0.0.1", "::1", "2001:db8::7"]) func readsAnAddress(_ text: String) {
        let address = SocketAddress(text, port: 80)
        #expect(address?.text == text)
        #expect(address?.family == (text.contains(":") ? SocketAddress.v6 : SocketAddress.v4))
    }

    /// RFC 6874: a zone is the name or the number of an interface, behind `%25` in a URL.
    @Test(arguments: ["fe80::1%251", "fe80::1%1"]) func readsAZone(_ text: String) throws {
        let address = try #require(SocketAddress(text, port: 80))
        #expect(address.text == "fe80::1")
        let zone = address.withPointer { pointer, _ in
            pointer.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) { $0.pointee.sin6_scope_id }
        }
        #expect(zone == 1)
    }

    @Test(arguments: [
        "", "localhost", "127.0.0", "1.2.3.4.5", "[::1]", "::1%", "::1%25", "::1%no such interface", "1.2.3.4%1",
    ]) func readsNothingElse(_ text: String) {
        #expect(SocketAddress(text, port: 80) == nil)
    }

    @Test(arguments: ["", "a\0b", String(repeating: "s", count: 200)])
    func refusesAPathThatTheSystemDoesNotTake(_ path: String) {
        #expect(SocketAddress(unixPath: path) == nil)
    }

    /// RFC 8305 §4.
    @Test(arguments: [
        (["::1", "::2", "::3", "1.1.1.1", "1.1.1.2"], ["::1", "1.1.1.1", "::2", "1.1.1.2", "::3"]),
        (["1.1.1.1", "1.1.1.2", "::1"], ["1.1.1.1", "::1", "1.1.1.2"]), (["::1"], ["::1"]), ([], []),
    ]) func triesTheFamiliesInTurn(_ addresses: [String], _ order: [String]) {
        let sorted = SocketAddress.interleaved(addresses.compactMap { SocketAddress($0, port: 80) })
        #expect(sorted.map(\.text) == order)
    }
}
