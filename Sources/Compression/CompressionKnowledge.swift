// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import StrataCore
import Synchronization

/// Which servers take gzip: by the app's word, and by their own.
final class CompressionKnowledge: Sendable {
    private let servers: CompressionMiddleware.Servers
    /// What servers have said themselves, which wins.
    private let told = Mutex<[Origin: Bool]>([:])

    /// Of so many servers.
    private static let most = 1024

    init(_ servers: CompressionMiddleware.Servers) { self.servers = servers }

    func allows(_ request: TransportRequest) -> Bool {
        guard let origin = request.origin else { return false }
        if let word = told.withLock({ $0[origin] }) { return word }
        return servers.isAny || servers.origins?.contains(origin) == true
    }

    func note(_ takesGzip: Bool, of request: TransportRequest) {
        guard let origin = request.origin else { return }
        told.withLock { told in
            if told.count >= Self.most, told[origin] == nil, let any = told.keys.first { told[any] = nil }
            told[origin] = takesGzip
        }
    }

    func learn(from response: HTTPResponse, to request: TransportRequest) {
        if let word = Self.takesGzip(response) { note(word, of: request) }
    }

    /// What the response says by `Accept-Encoding` (RFC 9110 §12.5.3); `nil` when it has none.
    static func takesGzip(_ response: HTTPResponse) -> Bool? {
        guard let text = response.headerFields[.acceptEncoding] else { return nil }
        var weights: [String: Double] = [:]
        for member in text.lowercased().split(separator: ",") {
            let parts = member.split(separator: ";").map { Substring($0.utf8.trimmingBlanks) }
            guard let name = parts.first else { continue }
            let weight = parts.dropFirst().first { $0.hasPrefix("q=") }.map { Double($0.dropFirst(2)) ?? 0 }
            weights[String(name)] = weight ?? 1
        }
        return (weights["gzip"] ?? weights["x-gzip"] ?? weights["*"] ?? 0) > 0
    }
}
