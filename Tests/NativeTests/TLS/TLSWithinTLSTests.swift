// SPDX-License-Identifier: Apache-2.0

import CStrataOpenSSL
import StrataCore
import StrataTransportSupport
import Testing

@testable import StrataNative

/// A session with a server through one with a proxy.
struct TLSWithinTLSTests {
    private struct Tunnel {
        let client: TLSSession
        let server: TLSPeer
        let proxy: TLSPeer
    }

    private func connect(_ inner: TLSPeer.Options = .init(), _ outer: TLSPeer.Options = .init()) throws -> Tunnel {
        let context = try TLSContext(.test)
        let proxy = try TLSPeer(outer)
        let session = try TLSSession(context, host: "a.example", port: 3128, descriptor: proxy.clientSocket)
        #expect(proxy.shakeHands(with: session).isDone)
        let server = try TLSPeer(inner, over: proxy)
        let client = try TLSSession(
            context, host: "a.example", port: 443, descriptor: proxy.clientSocket, over: session)
        #expect(server.shakeHands(with: client).isDone)
        return Tunnel(client: client, server: server, proxy: proxy)
    }

    private func transfer(_ size: Int, _ tunnel: Tunnel) -> (sent: Int, received: [UInt8]) {
        let bytes = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
        var (sent, received) = (0, [UInt8]())
        for _ in 0..<10_000 where received.count < size {
            // From other memory each time.
            sent += Array(bytes[sent...]).withUnsafeBytes { tunnel.client.send($0) }.count
            received += tunnel.server.read()
        }
        #expect(received == bytes)
        return (sent, received)
    }

    @Test(arguments: [0, TLS1_2_VERSION], [0, TLS1_2_VERSION])
    func carriesBytesBothWays(_ inner: Int32, _ outer: Int32) throws {
        let tunnel = try connect(.init(highest: inner), .init(highest: outer))
        #expect(tunnel.client.send("hello").count == 5)
        #expect(tunnel.server.read() == Array("hello".utf8))
        tunnel.server.write("wor")
        tunnel.server.write("ld")
        let (text, end) = tunnel.client.text()
        #expect(text == "world")
        guard case .wantsRead = end else {
            Issue.record("\(end)")
            return
        }
        #expect(!tunnel.client.hasPending)
    }

    /// A socket that is full takes a part, and the rest goes on.
    @Test func sendsWhatFits() throws {
        let tunnel = try connect()
        let (sent, received) = transfer(1_000_000, tunnel)
        #expect(sent == received.count)
    }

    @Test func tellsOfWhatTheSocketDoesNot() throws {
        let tunnel = try connect()
        _ = tunnel.client.text()
        tunnel.server.write("abc")
        tunnel.server.write("def")
        var buffer = [UInt8](repeating: 0, count: 2)
        #expect(buffer.withUnsafeMutableBytes { tunnel.client.receive(into: $0) }.count == 2)
        #expect(tunnel.client.hasPending)
        #expect(tunnel.client.text().text == "cdef")
        #expect(!tunnel.client.hasPending)
    }

    @Test func theServersGoodbyeIsTheEnd() throws {
        let tunnel = try connect()
        tunnel.server.write("bye")
        tunnel.server.sayGoodbye()
        let (text, end) = tunnel.client.text()
        #expect(text == "bye")
        guard case .end = end else {
            Issue.record("\(end)")
            return
        }
    }

    /// The proxy's is not: it may cut anything short.
    @Test(arguments: [true, false]) func theProxysGoodbyeIsNone(_ isPolite: Bool) throws {
        let tunnel = try connect()
        tunnel.server.write("bye")
        if isPolite { tunnel.proxy.sayGoodbye() }
        tunnel.proxy.closeSocket()
        let (text, end) = tunnel.client.text()
        #expect(text == "bye")
        guard case .cutOff(let error) = end else {
            Issue.record("\(end)")
            return
        }
        #expect(error.code == .connectionLost)
    }

    @Test func theServerHasToProveItself() throws {
        let proxy = try TLSPeer()
        let context = try TLSContext(.test)
        let session = try TLSSession(context, host: "a.example", port: 3128, descriptor: proxy.clientSocket)
        #expect(proxy.shakeHands(with: session).isDone)
        let server = try TLSPeer(over: proxy)
        let client = try TLSSession(
            context, host: "elsewhere.test", port: 443, descriptor: proxy.clientSocket, over: session)
        let error = server.shakeHands(with: client).error
        #expect(error?.code == .tlsFailed)
        #expect((error?.cause as? TLSError)?.reason == .wrongHost)
    }

    @Test func whatAnswersInPlainTextIsNotTLS() throws {
        let proxy = try TLSPeer()
        let context = try TLSContext(.test)
        let session = try TLSSession(context, host: "a.example", port: 3128, descriptor: proxy.clientSocket)
        #expect(proxy.shakeHands(with: session).isDone)
        let client = try TLSSession(
            context, host: "a.example", port: 443, descriptor: proxy.clientSocket, over: session)
        _ = client.shakeHands()
        proxy.write("HTTP/1.1 400 Bad Request\r\n\r\n")
        #expect((client.shakeHands().error?.cause as? TLSError)?.reason == .notTLS)
    }

    @Test func bothAreToldOfTheEnd() throws {
        let tunnel = try connect()
        tunnel.client.close()
        tunnel.client.outer?.close()
        _ = tunnel.server.read()
        #expect(tunnel.server.hasSeenGoodbye)
        _ = tunnel.proxy.read()
        #expect(tunnel.proxy.hasSeenGoodbye)
    }
}
