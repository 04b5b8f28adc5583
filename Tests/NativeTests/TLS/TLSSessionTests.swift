// SPDX-License-Identifier: Apache-2.0

import CStrataOpenSSL
import Foundation
import StrataCore
import StrataTransportSupport
import TestSupport
import Testing

@testable import StrataNative

/// Handshakes and bytes against OpenSSL's own server, on one thread.
struct TLSSessionTests {
    /// A peer, and a client whose handshake with it has ended.
    private func connect(
        _ settings: TLSSettings = .test, host: String = "a.example", _ options: TLSPeer.Options = .init()
    ) throws -> (client: TLSSession, peer: TLSPeer, result: TLSSession.Handshake) {
        try connect(TLSContext(settings), host: host, options)
    }

    private func connect(
        _ context: TLSContext, host: String = "a.example", _ options: TLSPeer.Options = .init()
    ) throws -> (client: TLSSession, peer: TLSPeer, result: TLSSession.Handshake) {
        let peer = try TLSPeer(options)
        let client = try TLSSession(context, host: host, port: 443, descriptor: peer.clientSocket)
        return (client, peer, peer.shakeHands(with: client))
    }

    // MARK: - Who the server is

    @Test(arguments: ["a.example", "a.example.", "A.EXAMPLE", "localhost", "b.wild.example", "127.0.0.1", "::1"])
    func acceptsTheCertificateOfTheHost(_ host: String) throws {
        let (client, peer, result) = try connect(host: host)
        #expect(result.isDone, "\(String(describing: result.error))")
        #expect(client.version == "TLSv1.3")
        let isAddress = host.contains(":") || host == "127.0.0.1"
        #expect(peer.serverName == (isAddress ? nil : host.hasSuffix(".") ? "a.example" : host))
    }

    @Test(arguments: [
        "b.example", "xa.example", "a.b.wild.example", "wild.example", "partial.example", "part.example", "127.0.0.2",
        "::2",
        "127.0.0.1.example", "example",
    ])
    func refusesTheCertificateOfAnotherHost(_ host: String) throws {
        let error = try #require(try connect(host: host).result.error)
        #expect(error.code == .tlsFailed)
        #expect((error.cause as? TLSError)?.reason == .wrongHost)
        #expect(error.message.contains("mismatch"))
        #expect(!error.isUnprocessed)
    }

    private static let refusals: [(String, TLSError.Reason, String)] = [
        (TestCertificates.expired, .certificateExpired, "expired"),
        (TestCertificates.notYetValid, .certificateNotYetValid, "not yet valid"),
        (TestCertificates.ofStranger, .unknownAuthority, "local issuer"),
        (TestCertificates.selfSigned, .selfSigned, "self-signed"),
        (TestCertificates.commonNameOnly, .wrongHost, "mismatch"),
    ]

    @Test(arguments: refusals, [0, TLS1_2_VERSION])
    func saysWhyItRefusesACertificate(_ refusal: (String, TLSError.Reason, String), _ highest: Int32) throws {
        var options = TLSPeer.Options(certificate: refusal.0)
        options.highest = highest
        let error = try #require(try connect(.test, options).result.error)
        #expect(error.code == .tlsFailed)
        #expect((error.cause as? TLSError)?.reason == refusal.1)
        #expect(error.message.replacing("self signed", with: "self-signed").contains(refusal.2))
    }

    private func connect(
        _ settings: TLSSettings, _ options: TLSPeer.Options
    ) throws -> (client: TLSSession, peer: TLSPeer, result: TLSSession.Handshake) {
        try connect(settings, host: "a.example", options)
    }

    @Test(arguments: refusals.map(\.0)) func acceptsAnybodyWhenToldSo(_ certificate: String) throws {
        var settings = TLSSettings.test
        settings.dangerouslySkipsVerification = true
        let result = try connect(settings, .init(certificate: certificate)).result
        #expect(result.isDone)
    }

    // MARK: - Whom to trust

    @Test func trustsWhomItIsToldTo() throws {
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        let authority = folder["authority.pem"]
        try Data(("# comment\n" + TestCertificates.authority).utf8).write(to: authority)
        for (trust, isTrusted) in [
            (TLSSettings.Trust.file(authority.path), true), (.pem(Data(TestCertificates.authority.utf8)), true),
            (.pem(Data((TestCertificates.expired + TestCertificates.authority).utf8)), true),
            // Also one that is no authority, when it is the server's own.
            (.pem(Data(TestCertificates.server.utf8)), true), (.pem(Data(TestCertificates.expired.utf8)), false),
            (.system, false),
        ] {
            var settings = TLSSettings()
            settings.trust = trust
            let result = try connect(settings).result
            #expect(result.isDone == isTrusted, "\(trust)")
        }
    }

    @Test func refusesAuthoritiesThatAreNone() throws {
        for trust in [
            TLSSettings.Trust.pem(Data()), .pem(Data("no certificate".utf8)), .file("/nowhere/authority.pem"),
        ] {
            var settings = TLSSettings()
            settings.trust = trust
            let error = #expect(throws: NetworkClientError.self) { try TLSContext(settings) }
            #expect(error?.code == .tlsFailed)
            #expect((error?.cause as? TLSError)?.reason == .unusableSettings)
            if case .file(let path) = trust { #expect(error?.message.contains(path) == true) }
        }
    }

    // MARK: - Pins

    @Test func keepsToThePinnedKeys() throws {
        let wrong = Data(count: 32).base64EncodedString()
        for pins in [
            [TestCertificates.pin], [wrong, "sha256//" + TestCertificates.pin], ["sha256/" + TestCertificates.pin],
        ] {
            var settings = TLSSettings.test
            settings.pinnedPublicKeys = pins
            #expect(try connect(settings).result.isDone)
        }
        for skips in [false, true] {
            var settings = TLSSettings.test
            settings.pinnedPublicKeys = [wrong]
            settings.dangerouslySkipsVerification = skips
            let error = try #require(try connect(settings).result.error)
            #expect(error.code == .tlsFailed)
            #expect((error.cause as? TLSError)?.reason == .pinMismatch)
            #expect(error.message.contains("pinned"))
        }
    }

    @Test func aPinStandsBesideTheVerification() throws {
        var settings = TLSSettings.test
        settings.pinnedPublicKeys = [TestCertificates.pin]
        let error = try #require(try connect(settings, .init(certificate: TestCertificates.expired)).result.error)
        #expect((error.cause as? TLSError)?.reason == .certificateExpired)
    }

    @Test(arguments: ["", "abc", "sha256//", "sha1/AAAA", Data(count: 31).base64EncodedString()])
    func refusesAPinThatIsNone(_ pin: String) {
        var settings = TLSSettings.test
        settings.pinnedPublicKeys = [TestCertificates.pin, pin]
        let error = #expect(throws: NetworkClientError.self) { try TLSProvider(settings).check() }
        #expect(error?.code == .tlsFailed)
    }

    // MARK: - Who the client is

    /// - Parameter folder: where their files go.
    private func identities(_ folder: TemporaryFolder) throws -> [TLSSettings] {
        try Data(TestCertificates.client.utf8).write(to: folder["client.pem"])
        try Data(TestCertificates.clientKey.utf8).write(to: folder["client.key"])
        try Data(TestCertificates.lockedClientKey.utf8).write(to: folder["locked.key"])
        try Data((TestCertificates.client + TestCertificates.clientKey).utf8).write(to: folder["both.pem"])
        var files = TLSSettings.test
        (files.clientCertificate, files.clientKey) = (folder["client.pem"].path, folder["client.key"].path)
        var locked = files
        (locked.clientKey, locked.clientKeyPassword) = (folder["locked.key"].path, TestCertificates.password)
        var one = TLSSettings.test
        one.clientCertificate = folder["both.pem"].path
        var memory = TLSSettings.test
        memory.clientIdentity = Data(
            (TestCertificates.client + TestCertificates.authority + TestCertificates.clientKey).utf8)
        var lockedMemory = memory
        lockedMemory.clientIdentity = Data((TestCertificates.lockedClientKey + TestCertificates.client).utf8)
        lockedMemory.clientKeyPassword = TestCertificates.password
        return [files, locked, one, memory, lockedMemory]
    }

    @Test(arguments: [0, TLS1_2_VERSION]) func provesWhoItIs(_ highest: Int32) throws {
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        for settings in try identities(folder) {
            var options = TLSPeer.Options(wantsCertificate: true)
            options.highest = highest
            let (client, peer, result) = try connect(settings, options)
            #expect(result.isDone)
            _ = client.send("hello")
            #expect(peer.read() == Array("hello".utf8))
            #expect(peer.clientHasCertificate)
        }
    }

    @Test func refusesAnIdentityThatIsNone() throws {
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        var wrongPassword = try identities(folder)[1]
        wrongPassword.clientKeyPassword = "hunter2"
        var noPassword = wrongPassword
        noPassword.clientKeyPassword = nil
        var noFile = TLSSettings.test
        noFile.clientCertificate = "/nowhere/client.pem"
        var noKey = TLSSettings.test
        noKey.clientIdentity = Data(TestCertificates.client.utf8)
        var otherKey = TLSSettings.test
        otherKey.clientIdentity = Data((TestCertificates.client + TestCertificates.serverKey).utf8)
        var empty = TLSSettings.test
        empty.clientIdentity = Data()
        for settings in [wrongPassword, noPassword, noFile, noKey, otherKey, empty] {
            let error = #expect(throws: NetworkClientError.self) { try TLSContext(settings) }
            #expect(error?.code == .tlsFailed)
            #expect((error?.cause as? TLSError)?.reason == .unusableSettings)
            #expect(error.map { "\($0) \(String(describing: $0.cause))".contains("hunter2") } == false)
        }
    }

    /// In TLS 1.3 the refusal comes when the client's handshake is over.
    @Test(arguments: [0, TLS1_2_VERSION]) func saysThatTheServerWantsACertificate(_ highest: Int32) throws {
        var options = TLSPeer.Options(wantsCertificate: true)
        options.highest = highest
        let (client, peer, result) = try connect(.test, options)
        var error = result.error
        if error == nil, case .failed(let later) = withExtendedLifetime(peer, { client.text().end }) { error = later }
        #expect(error?.code == .tlsFailed)
        #expect(error?.message.contains("alert") == true)
        let reason = (error?.cause as? TLSError)?.reason
        #expect(reason == .alert(116) || reason == .alert(40))
    }

    // MARK: - Versions and protocols

    @Test func keepsToTheMinimumVersion() throws {
        var strict = TLSSettings.test
        strict.minimumVersion = .v1_3
        #expect(try connect(strict).client.version == "TLSv1.3")
        let (client, _, result) = try connect(.test, .init(highest: TLS1_2_VERSION))
        #expect(result.isDone)
        #expect(client.version == "TLSv1.2")
        for (settings, options) in [
            (strict, TLSPeer.Options(highest: TLS1_2_VERSION)),
            (.test, TLSPeer.Options(lowest: TLS1_1_VERSION, highest: TLS1_1_VERSION)),
        ] {
            let error = try #require(try connect(settings, options).result.error)
            #expect(error.code == .tlsFailed)
            #expect((error.cause as? TLSError)?.reason == .protocolVersion)
            #expect(error.message.contains("version"))
        }
    }

    @Test func agreesOnAProtocol() throws {
        #expect(try connect(.test, .init(chooses: Array("http/1.1".utf8))).client.chosenProtocol == "http/1.1")
        #expect(try connect().client.chosenProtocol == nil)
        // One that was not offered.
        #expect(try connect(.test, .init(chooses: Array("h2".utf8))).result.error?.code == .tlsFailed)
    }

    @Test func saysWhenTheServerSpeaksNoTLS() throws {
        for text in ["HTTP/1.1 400 Bad Request\r\n\r\n", "SSH-2.0-OpenSSH_9.2\r\n"] {
            let peer = try TLSPeer()
            let client = try TLSSession(TLSContext(.test), host: "a.example", port: 443, descriptor: peer.clientSocket)
            _ = client.shakeHands()
            peer.writePlain(text)
            let error = try #require(client.shakeHands().error)
            #expect(error.code == .tlsFailed)
            #expect((error.cause as? TLSError)?.reason == .notTLS)
            #expect(error.message.contains("plain HTTP"))
        }
    }

    @Test func namesTheAlert() throws {
        let peer = try TLSPeer()
        let client = try TLSSession(TLSContext(.test), host: "a.example", port: 443, descriptor: peer.clientSocket)
        _ = client.shakeHands()
        peer.sendAlert([21, 3, 3, 0, 2, 2, 112])
        let error = try #require(client.shakeHands().error)
        #expect((error.cause as? TLSError)?.reason == .alert(112))
        #expect(error.message.contains("alert unrecognized name"))
    }

    @Test func aConnectionThatIsLostInTheHandshakeLeavesTheRequestUnprocessed() throws {
        let peer = try TLSPeer()
        let client = try TLSSession(TLSContext(.test), host: "a.example", port: 443, descriptor: peer.clientSocket)
        _ = client.shakeHands()
        peer.closeSocket()
        let error = try #require(client.shakeHands().error)
        #expect(error.code == .tlsFailed)
        #expect((error.cause as? TLSError)?.reason == .connectionLost)
        #expect(error.isUnprocessed)
    }
}
