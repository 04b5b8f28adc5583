// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import Harness
import StrataCore
import StrataEncoding
import StrataTesting

extension Micro {
    /// Loading a large cassette, and recording bodies with secrets in them.
    func cassettes() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "strata-bench-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let entries = 10_000
        let file = folder.appending(path: "large.har")
        let size = try await makeCassette(file, entries: entries)
        try measure("loading a cassette of 10,000 entries", 20, bytes: size) {
            guard try Cassette(contentsOf: file).entries.count == entries else { fatalError("entries are missing") }
        }
        for (name, type, separator) in [
            ("JSON", "application/json", ","), ("JSON Lines", "application/x-ndjson", "\n"),
        ] {
            let list = Array(repeating: Self.member, count: 4000).joined(separator: separator)
            let body = Data((type == "application/json" ? "[\(list)]" : list).utf8)
            try await measure("recording \(name) with secrets", 10, bytes: body.count) {
                try await record(body, type, folder.appending(path: "masked.har"))
            }
        }
    }

    private static let member = """
        {"id":123,"user":{"name":"Ada Lovelace","email":"ada@example.com","password":"hunter2"},"tags":["a","b"],\
        "note":"the quick brown fox jumps over","url":"https://example.com/a?b=c&d=e","ok":true}
        """

    /// As it is recorded; the entries are those of two hundred exchanges, over and over.
    private func makeCassette(_ file: URL, entries: Int) async throws -> Int {
        let body = Data(#"{"items":[\#(Array(repeating: Self.member, count: 5).joined(separator: ","))]}"#.utf8)
        for _ in 0..<200 { try await record(body, "application/json", file) }
        let text = try String(contentsOf: file, encoding: .utf8)
        guard let start = text.range(of: "\"entries\":[")?.upperBound,
            let end = text.range(of: "\n]", options: .backwards)
        else { fatalError("there are no entries") }
        let some = String(text[start..<end.lowerBound])
        let all = Array(repeating: some, count: entries / 200).joined(separator: ",")
        let data = Data((text[..<start] + all + text[end.lowerBound...]).utf8)
        try data.write(to: file)
        return data.count
    }

    private func record(_ body: Data, _ type: String, _ file: URL) async throws {
        let recorder = try CassetteRecorder(file)
        let client = NetworkClient(
            configuration: NetworkConfiguration(
                transport: ScriptedTransport(.status(200, fields: [.contentType: type], body: body)),
                middleware: [RecordingMiddleware(recorder)]))
        _ = try await client.execute(TransportRequest(url: "https://api.example/items"))
        try recorder.finish()
    }
}
