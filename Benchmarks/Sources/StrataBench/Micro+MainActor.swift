// SPDX-License-Identifier: Apache-2.0

import Foundation
import Harness
import StrataCore
import StrataEncoding

/// 20,000 small objects, which `Item` reads.
private struct CannedList: NetworkTransport {
    let capabilities = TransportCapabilities(name: "canned", features: .init(rawValue: .max))
    let body: Data

    init() {
        let note = String(repeating: "lorem ipsum ", count: 20)
        let items = (0..<20_000).map { #"{"id":\#($0),"name":"item \#($0)","price":1.25,"note":"\#(note)"}"# }
        body = Data("[\(items.joined(separator: ","))]".utf8)
    }

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        TransportResponse(
            head: HTTPResponse(status: .ok, headerFields: [.contentType: "application/json"]), body: ResponseBody(body))
    }
}

private struct Item: Decodable, Sendable { var id: Int; var name: String; var price: Double; var note: String }

/// The same, of which the compiler does not know that it may cross actors.
private final class Object: Decodable { var id: Int; var name: String; var price: Double; var note: String }

extension Micro {
    /// The longest time in which a busy main actor did nothing else, because it had called for 20,000 objects: the median of
    /// nine calls.
    @MainActor func blocking() async throws {
        let client = NetworkClient(
            configuration: NetworkConfiguration(baseURL: "https://api.example.com", transport: CannedList()))
        try await reportGap("20,000 objects for the main actor, Sendable") {
            let items: [Item] = try await client.get("items")
            return items.count
        }
        try await reportGap("20,000 objects for the main actor, not Sendable") {
            let items: [Object] = try await client.get("items")
            return items.count
        }
    }

    @MainActor private func reportGap(_ name: String, _ call: @MainActor () async throws -> Int) async throws {
        var gaps: [Duration] = []
        for _ in 0..<9 {
            let ticker = Task { @MainActor in
                var (last, longest) = (ContinuousClock.now, Duration.zero)
                while !Task.isCancelled {
                    await Task.yield()
                    let now = ContinuousClock.now
                    longest = max(longest, now - last)
                    last = now
                }
                return longest
            }
            await Task.yield()
            let count = try await call()
            guard count == 20_000 else { throw NetworkClientError(.internalFailure, "objects were lost") }
            ticker.cancel()
            gaps.append(await ticker.value)
        }
        let median = gaps.sorted()[gaps.count / 2] / Duration.milliseconds(1)
        print(name, terminator: "|")
        report([("blocked_ms", median)])
    }
}
