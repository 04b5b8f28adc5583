// SPDX-License-Identifier: Apache-2.0

import CStrataOpenSSL
import Foundation
import StrataCore
import StrataTransportSupport
import TestSupport
import Testing

@testable import StrataNative

/// What goes over an open session, how it ends, and how the next one begins.
struct TLSSessionBytesTests {
    private func connect(
        _ context: TLSContext, _ options: TLSPeer.Options = .init(), host: String = "a.example"
    ) throws -> (client: TLSSession, peer: TLSPeer) {
        let peer = try TLSPeer(options)
        let client = try TLSSession(context, host: host, port: 443, descriptor: peer.clientSocket)
        let result = peer.shakeHands(with: client)
        #expect(result.isDone)
        return (client, peer)
    }

    // MARK: - Bytes

    @Test(arguments: [0, TLS1_2_VERSION]) func carriesBytesBothWays(_ highest: Int32) throws {
        let (client, peer) = try connect(TLSContext(.test), .init(highest: highest))
        #expect(client.send("hello").count == 5)
        #expect(peer.read() == Array("hello".utf8))
        #expect(client.send("").count == 0)
        peer.write("wor")
        peer.write("ld")
        let (text, end) = client.text()
        #expect(text == "world")
        guard case .wantsRead = end else {
            Issue.record("\(end)")
            return
        }
        #expect(!client.hasPending)
    }

    @Test func tellsOfWhatTheSocketDoesNot() throws {
        let (client, peer) = try connect(TLSContext(.test))
        _ = client.text()
        #expect(!client.hasPending)
        peer.write("abc")
        peer.write("def")
        var buffer = [UInt8](repeating: 0, count: 2)
        #expect(buffer.withUnsafeMutableBytes { client.receive(into: $0) }.count == 2)
        #expect(client.hasPending)
        #expect(client.text().text == "cdef")
        #expect(!client.hasPending)
    }

    /// A socket that is full takes a part, and the rest goes on from other memory.
    @Test func sendsWhatFitsAndGoesOnFromOtherMemory() throws {
        let (client, peer) = try connect(TLSContext(.test))
        let bytes = (0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
        var sent = 0
        var received: [UInt8] = []
        var hasWaited = false
        while sent < bytes.count {
            let rest = Array(bytes[sent...].prefix(200_000))
            switch rest.withUnsafeBytes({ client.send($0) }) {
            case .bytes(let count): sent += count
            case .wantsWrite:
                hasWaited = true
                received += peer.read()
            case let other:
                Issue.record("\(other)")
                return
            }
        }
        while received.count < bytes.count {
            let more = peer.read()
            guard !more.isEmpty else { break }
            received += more
        }
        #expect(hasWaited)
        #expect(received == bytes)
    }

    // MARK: - Ends

    @Test(arguments: [0, TLS1_2_VERSION]) func tellsAnEndFromACut(_ highest: Int32) throws {
        for saysGoodbye in [true, false] {
            let (client, peer) = try connect(TLSContext(.test), .init(highest: highest))
            peer.write("hello")
            if saysGoodbye { peer.sayGoodbye() }
            peer.closeSocket()
            let (text, end) = client.text()
            #expect(text == "hello")
            switch end {
            case .end: #expect(saysGoodbye)
            case .cutOff(let error):
                #expect(!saysGoodbye)
                #expect(error.code == .connectionLost)
            default: Issue.record("\(end)")
            }
        }
    }

    /// Without a signal that ends the process.
    @Test func writingToAPeerThatIsGoneFails() throws {
        let (client, peer) = try connect(TLSContext(.test))
        peer.write("refused")
        peer.closeSocket()
        guard case .failed(let error) = client.send(String(repeating: "a", count: 100)) else {
            Issue.record("it did not fail")
            return
        }
        #expect(error.code == .connectionLost)
        // What the peer said before is still read.
        #expect(client.text().text == "refused")
        client.close()
    }

    @Test func saysGoodbyeWithoutWaiting() throws {
        let (client, peer) = try connect(TLSContext(.test))
        client.close()
        #expect(peer.read().isEmpty)
        #expect(peer.hasSeenGoodbye)
    }

    @Test func damagedBytesEndTheConnection() throws {
        let (client, peer) = try connect(TLSContext(.test))
        peer.sendAlert([23, 3, 3, 0, 30] + [UInt8](repeating: 7, count: 30))
        guard case .failed(let error) = client.text().end else {
            Issue.record("it did not fail")
            return
        }
        #expect(error.code == .connectionLost)
    }

    // MARK: - Resumption

    @Test(arguments: [0, TLS1_2_VERSION]) func resumesASession(_ highest: Int32) throws {
        let context = try TLSContext(.test)
        let first = try connect(context, .init(highest: highest))
        #expect(!first.client.isResumed)
        // In TLS 1.3 tickets come behind the handshake (RFC 8446 §4.6.1).
        first.peer.write("x")
        _ = first.client.text()
        #expect(context.sessions.count(of: "a.example:443") > 0)
        let next = try connect(context, .init(ticketsOf: first.peer))
        #expect(next.client.isResumed)
        // The one of another host is not, nor one of other settings.
        let other = try connect(context, .init(ticketsOf: first.peer), host: "localhost")
        #expect(!other.client.isResumed)
        var strict = TLSSettings.test
        strict.pinnedPublicKeys = [TestCertificates.pin]
        let apart = try connect(TLSContext(strict), .init(ticketsOf: first.peer))
        #expect(!apart.client.isResumed)
    }

    @Test func aTicketIsUsedOnce() throws {
        let context = try TLSContext(.test)
        let first = try connect(context)
        first.peer.write("x")
        _ = first.client.text()
        let count = context.sessions.count(of: "a.example:443")
        let next = try connect(context, .init(ticketsOf: first.peer))
        #expect(next.client.isResumed)
        #expect(context.sessions.count(of: "a.example:443") == count - 1)
    }

    @Test func aResumedSessionIsHeldToThePins() throws {
        var settings = TLSSettings.test
        settings.pinnedPublicKeys = [TestCertificates.pin]
        let context = try TLSContext(settings)
        let first = try connect(context)
        first.peer.write("x")
        _ = first.client.text()
        let next = try connect(context, .init(ticketsOf: first.peer))
        #expect(next.client.isResumed)
    }

    @Test func sessionsAreBounded() throws {
        let context = try TLSContext(.test)
        let first = try connect(context)
        first.peer.write("x")
        _ = first.client.text()
        for _ in 0..<20 {
            let next = try connect(context, .init(ticketsOf: first.peer))
            next.peer.write("x")
            _ = next.client.text()
        }
        #expect(context.sessions.count(of: "a.example:443") <= 8)
    }

    // MARK: - The key log

    @Test func writesTheKeysToAFileOfTheUsersAlone() throws {
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        let file = folder["keys.log"]
        _ = try connect(TLSContext(.test, keyLogFile: file.path))
        let text = try String(contentsOf: file, encoding: .utf8)
        #expect(text.contains("CLIENT_TRAFFIC_SECRET_0 "))
        #expect(text.hasSuffix("\n"))
        let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        let error = #expect(throws: NetworkClientError.self) { try TLSContext(.test, keyLogFile: "/nowhere/keys.log") }
        #expect(error?.code == .fileFailed)
    }

    /// What cannot be used now may be later, and what could is not read again.
    @Test func readsItsFilesUntilTheyCanBeUsed() throws {
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        let file = folder["authority.pem"]
        var settings = TLSSettings()
        settings.trust = .file(file.path)
        let provider = TLSProvider(settings)
        #expect(throws: NetworkClientError.self) { try provider.check() }
        try Data(TestCertificates.authority.utf8).write(to: file)
        try provider.check()
        try FileManager.default.removeItem(at: file)
        try provider.check()
        let peer = try TLSPeer()
        let client = try provider.session(host: "a.example", port: 443, descriptor: peer.clientSocket)
        let result = peer.shakeHands(with: client)
        #expect(result.isDone)
    }
}
