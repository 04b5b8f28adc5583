// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The certificates that the script of this name has made, for this run or for the servers that run already.
struct PeerCertificates: Sendable {
    let folder: URL

    /// Made once for all tests of the process, and removed with its end.
    static let shared: Result<PeerCertificates, any Error> = Result {
        if let folder = Peer.folder { return PeerCertificates(folder: folder.appending(path: "certificates")) }
        atexit {
            if let all = try? PeerCertificates.shared.get() { try? FileManager.default.removeItem(at: all.folder) }
        }
        let folder = FileManager.default.temporaryDirectory.appending(path: "strata-certificates-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Subprocess.run(["/bin/sh", PeerFiles.path("certificates"), "."], in: folder)
        return PeerCertificates(folder: folder)
    }

    /// Unlocks `client-locked.key`.
    static let password = "open sesame"

    func path(_ name: String) -> String { folder.appending(path: name).path }

    func pem(_ name: String) throws -> Data { try Data(contentsOf: folder.appending(path: name)) }

    /// The hash of a certificate's public key, as it is pinned (RFC 7469 §2.4).
    func pin(of name: String) throws -> String { String(decoding: try pem("\(name).pin"), as: UTF8.self) }
}
