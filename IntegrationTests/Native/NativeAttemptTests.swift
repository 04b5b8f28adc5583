// SPDX-License-Identifier: Apache-2.0

#if os(Linux)

import Foundation
import StrataCore
import StrataNative
import StrataTesting
import Testing

/// Addresses that are tried beside each other (RFC 8305 §5). Linux has all of 127.0.0.0/8 on its loopback interface.
struct NativeAttemptTests {
    @Test func triesTheNextAddressBesideOneThatIsSilent() async throws {
        let silent = try RawServer.unresponsive()
        defer { silent.stop() }
        let other = try OtherAddress(port: silent.port)
        defer { other.stop() }
        let override = NativeTransport.AddressOverride(
            host: "a.test", port: silent.port, addresses: ["127.0.0.1", "127.0.0.2"])
        try await withNative({ $0.addressOverrides = [override] }) { transport in
            let response = try await transport.send(.get, "http://a.test:\(silent.port)/")
            #expect(response.metrics?.remoteAddress == "127.0.0.2")
            expectEqual(try await response.body.collect(), Data("ok".utf8))
        }
    }

    @Test func endsWithTheConnectTimeoutWhenAllAreSilent() async throws {
        let silent = try RawServer.unresponsive()
        defer { silent.stop() }
        let override = NativeTransport.AddressOverride(
            host: "a.test", port: silent.port, addresses: ["127.0.0.1", "127.0.0.1"])
        try await withNative({ $0.addressOverrides = [override] }) { transport in
            let error = await #expect(throws: NetworkClientError.self) {
                try await transport.send(
                    .get, "http://a.test:\(silent.port)/", timeouts: Timeouts(connect: .milliseconds(600)))
            }
            #expect(error?.timeout == .connect)
            #expect(transport.liveTransfers == 0)
        }
    }
}

/// Answers one request on 127.0.0.2.
private final class OtherAddress: Sendable {
    private let listener: Int32

    struct Failure: Error {}

    init(port: Int) throws {
        #if canImport(Glibc)
        let kind = Int32(SOCK_STREAM.rawValue)
        #else
        let kind = SOCK_STREAM
        #endif
        let listener = socket(AF_INET, kind, 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0002).bigEndian
        let isBound = withUnsafePointer(to: &address) { start in
            start.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        guard isBound, listen(listener, 8) == 0 else {
            close(listener)
            throw Failure()
        }
        self.listener = listener
        Thread.detachNewThread {
            let client = accept(listener, nil, nil)
            guard client >= 0 else { return }
            var request = [UInt8](repeating: 0, count: 4096)
            _ = recv(client, &request, request.count, 0)
            let answer = Array("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok".utf8)
            _ = send(client, answer, answer.count, 0)
            close(client)
        }
    }

    func stop() {
        shutdown(listener, Int32(SHUT_RDWR))
        close(listener)
    }
}

#endif
