// SPDX-License-Identifier: Apache-2.0

package import Foundation
package import StrataCore
import StrataEncoding
import StrataStreaming

/// Calls to an echo server that are recorded over sockets and replayed without, each with a summary of what came of it.
package struct Story: Sendable, CustomStringConvertible {
    /// Also that of its cassette.
    package let name: String
    /// - Parameters: a client whose base URL is the server's, and a folder for files.
    package let run: @Sendable (NetworkClient, URL) async throws -> [String]
    /// What it comes to.
    package let outcome: [String]

    package var description: String { name }

    package static let all = [styles, chat, events, download]

    package static let chat = Story(name: "chat", run: runChat, outcome: ["Hel", "lo", "!"])
    package static let events = Story(name: "events", run: runEvents, outcome: (1...6).map { "\($0): {\"n\":\($0)}" })
    package static let download = Story(
        name: "download", run: runDownload, outcome: ["26000 bytes", "abcdefghij", "qrstuvwxyz"])

    /// An event source whose connection breaks twice.
    private static func runEvents(_ client: NetworkClient, _ folder: URL) async throws -> [String] {
        let request = NetworkRequest<VoidRequest, VoidResponse>(
            path: "sse", method: .get,
            queryItems: ["count": "6", "interval": "150", "drop_after": "3", "retry": "20"].sorted { $0.key < $1.key }
                .map { URLQueryItem(name: $0.key, value: $0.value) })
        var policy = ReconnectionPolicy()
        policy.minimumDelay = .milliseconds(10)
        policy.jitter = 0
        var found: [String] = []
        for try await event in try client.eventSource(for: request, reconnection: policy) {
            found.append("\(event.id ?? ""): \(event.data)")
        }
        return found
    }

    /// A file whose connection breaks once; see ``BreakingTransport``.
    private static func runDownload(_ client: NetworkClient, _ folder: URL) async throws -> [String] {
        let request = NetworkRequest<VoidRequest, VoidResponse>(path: "range/26000", method: .get)
        let url = folder.appending(path: "file-\(UUID().uuidString)")
        let options = DownloadOptions.resuming(attempts: 2)
        let file = try await client.download(request, to: url, options: options)
        let data = try Data(contentsOf: file.url)
        let text = String(decoding: data, as: UTF8.self)
        return [
            "\(file.byteCount) bytes", String(text.prefix(10)), String(text.suffix(10)),
        ]
    }
}

/// Breaks the first download off after 10,000 bytes, as a bad connection does, and gives its tag the quotes that it lacks.
package struct BreakingTransport: NetworkTransport {
    private let transport: any NetworkTransport

    package init(_ transport: any NetworkTransport) { self.transport = transport }

    package var capabilities: TransportCapabilities { transport.capabilities }

    package func send(_ request: TransportRequest) async throws -> TransportResponse {
        var response = try await transport.send(request)
        guard request.head.path?.hasPrefix("/range/") == true else { return response }
        if let tag = response.head.headerFields[.eTag], !tag.hasPrefix("\"") {
            response.head.headerFields[.eTag] = "\"\(tag)\""
        }
        if request.head.headerFields[.range] == nil {
            response.body = response.body.mapSource(length: response.body.length) { BreakingSource($0) }
        }
        return response
    }

    private final class BreakingSource: BodySource, @unchecked Sendable {
        // Unchecked because `next` alone touches what is left, and has one caller at a time.
        private var left = 10_000
        private let source: any BodySource

        init(_ source: any BodySource) { self.source = source }

        func next() async throws -> Data? {
            guard left > 0 else {
                source.cancel()
                throw NetworkClientError(.connectionLost, "the connection was lost")
            }
            guard let piece = try await source.next()?.prefix(left) else { return nil }
            left -= piece.count
            return Data(piece)
        }

        func cancel() { source.cancel() }
    }
}
