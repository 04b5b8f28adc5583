// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Certificates made for one run by the `openssl` command: an authority, and what it and others have signed.
final class PeerCertificates: Sendable {
    let folder: URL

    /// Made once for all tests of the process, and removed with its end.
    static let shared: Result<PeerCertificates, any Error> = Result {
        atexit {
            if let all = try? PeerCertificates.shared.get() { try? FileManager.default.removeItem(at: all.folder) }
        }
        return try PeerCertificates()
    }

    private init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "strata-certificates-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for authority in ["authority", "stranger"] { try makeAuthority(authority) }
        let local = "DNS:localhost,IP:127.0.0.1,IP:::1"
        try makeLeaf("valid", names: local)
        try makeLeaf("wrong-host", names: "DNS:other.example")
        try makeLeaf("expired", names: local, dates: ("20200101000000Z", "20200102000000Z"))
        try makeLeaf("not-yet-valid", names: local, dates: ("20900101000000Z", "20900102000000Z"))
        try makeLeaf("unknown-authority", names: local, authority: "stranger")
        try makeLeaf("client", names: "DNS:client.example", usage: "clientAuth")
        try makeLeaf("client-of-stranger", names: "DNS:client.example", usage: "clientAuth", authority: "stranger")
        try openssl(
            "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
            "-subj", "/CN=localhost", "-addext", "subjectAltName=\(local)", "-keyout", "self-signed.key",
            "-out", "self-signed.pem")
        try openssl(
            "pkcs8", "-topk8", "-in", "client.key", "-out", "client-locked.key", "-passout", "pass:\(Self.password)",
            "-v2", "aes-256-cbc")
    }

    /// Unlocks `client-locked.key`.
    static let password = "open sesame"

    func path(_ name: String) -> String { folder.appending(path: name).path }

    func pem(_ name: String) throws -> Data { try Data(contentsOf: folder.appending(path: name)) }

    /// The hash of a certificate's public key, as it is pinned (RFC 7469 §2.4).
    func pin(of name: String) throws -> String {
        let file = "pin-\(UUID().uuidString)"
        try openssl("x509", "-in", "\(name).pem", "-pubkey", "-noout", "-out", "\(file).pem")
        try openssl("pkey", "-pubin", "-in", "\(file).pem", "-outform", "der", "-out", "\(file).der")
        try openssl("dgst", "-sha256", "-binary", "-out", "\(file).hash", "\(file).der")
        return try pem("\(file).hash").base64EncodedString()
    }

    private func makeAuthority(_ name: String) throws {
        try openssl(
            "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
            "-subj", "/CN=Strata \(name)", "-addext", "basicConstraints=critical,CA:TRUE",
            "-addext", "keyUsage=critical,keyCertSign,cRLSign", "-keyout", "\(name).key", "-out", "\(name).pem")
        let configuration = """
            [ca]
            default_ca = own
            [own]
            database = \(name).index
            new_certs_dir = .
            rand_serial = yes
            default_md = sha256
            policy = any
            unique_subject = no
            [any]
            commonName = optional
            """
        try Data(configuration.utf8).write(to: folder.appending(path: "\(name).conf"))
        try Data().write(to: folder.appending(path: "\(name).index"))
    }

    private func makeLeaf(
        _ name: String, names: String, usage: String = "serverAuth", authority: String = "authority",
        dates: (from: String, to: String)? = nil
    ) throws {
        try openssl(
            "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-subj", "/CN=\(name)",
            "-keyout", "\(name).key", "-out", "\(name).csr")
        let extensions = """
            basicConstraints = critical, CA:FALSE
            keyUsage = critical, digitalSignature
            extendedKeyUsage = \(usage)
            subjectAltName = \(names)
            """
        try Data(extensions.utf8).write(to: folder.appending(path: "\(name).ext"))
        try openssl(
            [
                "ca", "-batch", "-notext", "-config", "\(authority).conf", "-cert", "\(authority).pem", "-keyfile",
                "\(authority).key", "-extfile", "\(name).ext", "-in", "\(name).csr", "-out", "\(name).pem",
            ] + (dates.map { ["-startdate", $0.from, "-enddate", $0.to] } ?? ["-days", "2"]))
    }

    private func openssl(_ arguments: String...) throws { try openssl(arguments) }

    private func openssl(_ arguments: [String]) throws {
        guard let path = PeerTool.openssl.path else {
            throw Subprocess.Failure(description: "openssl is not installed")
        }
        try Subprocess.run([path] + arguments, in: folder)
    }
}
