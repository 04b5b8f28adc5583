// SPDX-License-Identifier: Apache-2.0

import Foundation
import Harness
import StrataCore
import StrataEncoding
import StrataStreaming

extension Micro {
    private struct Profile: Codable {
        var name = "Ada Lovelace"
        var motto = "a & b = c, 100 %"
        var language = "Swift"
        var age = 36
        var tags = ["first", "second"]
    }

    func encoding() async throws {
        let profile = Profile()
        let form = FormEncoder()
        let formSize = try form.encode(profile).count
        try measure("form of five fields", bytes: formSize) { _ = try form.encode(profile) }
        let profiles = [String: Profile](uniqueKeysWithValues: (0..<200).map { ("person\($0)", profile) })
        let largeSize = try form.encode(profiles).count
        try measure("form of a thousand fields", 500, bytes: largeSize) { _ = try form.encode(profiles) }

        let json = JSONEncoder()
        let completion = Completion(
            id: "1", model: "m",
            choices: [
                .init(index: 0, message: .init(role: "assistant", content: String(repeating: "lorem ", count: 150)))
            ])
        let jsonSize = try json.encode(completion).count
        try measure("JSON body of 1 KB", bytes: jsonSize) { _ = try json.encodeBody(completion) }
        try measure("JSONEncoder alone", bytes: jsonSize) { _ = try json.encode(completion) }

        let small = MultipartForm([.text("hello", name: "a"), .data(Data(count: 100), name: "b")])
        try await measure("multipart of two small parts") { _ = try await read(small.encodedBody().body) }
        let size = 64 << 20
        let large = MultipartForm([.text("hello", name: "a"), .data(Data(count: size), name: "b")])
        try await measure("multipart with 64 MiB of data", 10, bytes: size) {
            _ = try await read(large.encodedBody().body)
        }
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("strata-bench-\(getpid())")
        try Data(count: size).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let fromDisk = MultipartForm([try .file(file, name: "file")])
        try await measure("multipart with a file of 64 MiB", 10, bytes: size) {
            _ = try await read(fromDisk.encodedBody().body)
        }
    }

    private func read(_ body: RequestBody) async throws -> Int {
        let source = try body.makeSource()
        var count = 0
        while let piece = try await source.next() { count += piece.count }
        return count
    }

    /// Event streams, in pieces of 64 KiB, beside a search for line ends in the same bytes and the ways of other libraries.
    func parsing() async throws {
        let token = "event: delta\ndata: {\"id\":\"msg_67\",\"index\":0,\"delta\":\"Hello there\"}\n\n"
        let large = "data: \(String(repeating: "a", count: 1 << 20))\n\n"
        let streams: [(String, String, events: Int)] = [
            ("small events (data: message)", String(repeating: "data: message\n\n", count: 40_000), 40_000),
            ("tokens of a language model", String(repeating: token, count: 10_000), 10_000),
            ("events of 1 MiB", String(repeating: large, count: 8), 8),
        ]
        for (name, text, events) in streams {
            let bytes = Data(text.utf8)
            let pieces = stride(from: 0, to: bytes.count, by: 65_536).map {
                Data(bytes[$0..<min($0 + 65_536, bytes.count)])
            }
            var seen = 0
            try measure(name, 100, bytes: bytes.count, items: events) {
                var parser = ServerSentEventParser()
                for piece in pieces { try parser.feed(piece) { _ in seen += 1 } }
            }
            var lines = 0
            measure("\(name), line ends alone", 100, bytes: bytes.count) {
                for piece in pieces { lines += Self.lineEnds(in: piece) }
            }
            guard seen % events == 0, lines > 0 else { throw NetworkClientError(.internalFailure, "events were lost") }
            for (way, count) in [
                ("split at blank lines", SplittingParser.count), ("byte by byte", BytewiseParser.count),
            ] {
                try await measure("\(name), \(way)", 2, bytes: bytes.count, items: events) {
                    guard await count(pieces) == events else {
                        throw NetworkClientError(.internalFailure, "events were lost")
                    }
                }
            }
        }
    }

    private static func lineEnds(in data: Data) -> Int {
        data.withUnsafeBytes { bytes in
            guard var start = bytes.baseAddress else { return 0 }
            let end = start + bytes.count
            var count = memchr(start, 0x0d, bytes.count) == nil ? 0 : 1
            while start < end, let found = memchr(start, 0x0a, end - start) {
                count += 1
                start = UnsafeRawPointer(found) + 1
            }
            return count
        }
    }
}
