// SPDX-License-Identifier: Apache-2.0

import Foundation
import Harness
import StrataCore
import StrataCurl
import StrataEncoding

/// One large body in one direction: processor time per MiB, and how much memory came on top.
enum Streams {
    private static func client() -> NetworkClient {
        NetworkClient(configuration: NetworkConfiguration(baseURL: nil, transport: CurlTransport()))
    }

    static func download(_ url: String) async throws {
        let client = client()
        try await measure("download") {
            var bytes = 0
            for try await piece in try await client.execute(TransportRequest(url: url)).body { bytes += piece.count }
            return bytes
        }
    }

    static func upload(_ url: String, bytes: Int) async throws {
        let client = client()
        let piece = Data(count: 64 * 1024)
        try await measure("upload") {
            let body = RequestBody.stream(length: Int64(bytes)) {
                AsyncStream<Data>(unfolding: Countdown(bytes / piece.count, piece).next)
            }
            _ = try await client.execute(TransportRequest(method: .post, url: url, body: body)).body.collect()
            return bytes
        }
    }

    private static func measure(_ name: String, _ operation: () async throws -> Int) async throws {
        let before = peakMemory()
        let cpu = CPUTime.now
        let begin = monotonic()
        let bytes = try await operation()
        let used = CPUTime.now - cpu
        let mebibytes = Double(bytes) / 1_048_576
        let seconds = Double(monotonic() - begin) / 1e9
        print(
            "name=\(name) bytes=\(bytes) rps=\(Int(mebibytes / seconds)) cpu_us=\(Int((used.user + used.system) / mebibytes))",
            "growth_kb=\(peakMemory() - before) rss_kb=\(peakMemory())")
    }
}

/// Hands out the same piece so many times.
private actor Countdown {
    private var rest: Int
    private let piece: Data

    init(_ count: Int, _ piece: Data) {
        rest = count
        self.piece = piece
    }

    func next() -> Data? {
        if rest == 0 { return nil }
        rest -= 1
        return piece
    }
}
