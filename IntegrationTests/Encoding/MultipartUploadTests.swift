// SPDX-License-Identifier: Apache-2.0

import EchoServer
import Foundation
import StrataCore
import StrataEncoding
import TestSupport
import Testing

/// A large file as a part of a form: read from disk while it is sent.
@Suite(.timeLimit(.minutes(5)))
struct MultipartUploadTests {
    struct Seen: Decodable {
        var bytes: Int64
        var content_length: String?
    }

    private static let size: UInt64 = 1 << 30
    private static let allowed = 16 << 20

    /// Client and server share the process: the server's memory counts, too, and it keeps nothing of what it is sent.
    @Test(.enabled(if: ResidentMemory.resetPeak(), "the most memory that was resident cannot be told here"))
    func aGigabyteIsSentWithSixteenMebibytes() async throws {
        let folder = try TemporaryFolder()
        let url = folder["large"]
        try Data().write(to: url)
        let file = try FileHandle(forWritingTo: url)
        try await EchoServer.withServer { server in
            try await TestedTransport.curl.run { transport in
                let client = NetworkClient(
                    configuration: NetworkConfiguration(baseURL: URL(string: server.url), transport: transport))
                // What both sides allocate once is there before it is measured.
                try file.truncate(atOffset: 4 << 20)
                try await upload(url, client)
                try file.truncate(atOffset: Self.size)
                _ = ResidentMemory.resetPeak()
                let before = try #require(ResidentMemory.peak)
                try await upload(url, client)
                let grown = try #require(ResidentMemory.peak) - before
                #expect(grown < Self.allowed, "\(grown >> 10) KiB more")
            }
        }
    }

    private func upload(_ url: URL, _ client: NetworkClient) async throws {
        let form = MultipartForm([.text("large", name: "title"), try .file(url, name: "file")])
        let length = try #require(try form.encodedBody().body.length)
        let seen = try await client.run(
            NetworkRequest<MultipartForm, Seen>(path: "upload", method: .post, body: form)
        ).value
        #expect(seen.bytes == length && seen.content_length == "\(length)")
    }
}

/// The most memory of this process that was in RAM at once; known on Linux.
private enum ResidentMemory {
    /// In bytes, since the last reset.
    static var peak: Int? {
        guard let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8),
            let line = status.split(separator: "\n").first(where: { $0.hasPrefix("VmHWM:") })
        else { return nil }
        return Int(line.filter(\.isNumber)).map { $0 * 1024 }
    }

    /// Whether it could be done: the kernel has to allow it (proc_pid_clear_refs(5)).
    static func resetPeak() -> Bool {
        guard let file = FileHandle(forWritingAtPath: "/proc/self/clear_refs") else { return false }
        defer { try? file.close() }
        return (try? file.write(contentsOf: Data("5".utf8))) != nil
    }
}
