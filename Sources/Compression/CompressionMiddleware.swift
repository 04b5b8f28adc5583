// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
public import StrataCore

/// Sends the bodies of requests compressed by gzip (RFC 1952), to servers that take it.
///
///     configuration.middleware = [CompressionMiddleware(), RetryMiddleware(), BearerAuthMiddleware(store)]
///
/// By default a server has to have said so: an `Accept-Encoding` with gzip in one of its responses (RFC 9110 §12.5.3). Where you
/// know it, name the origins. A server that refuses a compressed body (415) gets it once more as it is, when it can be produced
/// again, and is not sent compressed ones any more. Copies share what they have learned.
///
/// A body in memory of up to 1 MiB is compressed at once, and sent as it is when that does not make it smaller. Larger ones, files
/// and streams are compressed while they are sent: their length is then not known. Each piece of a stream goes out as it comes.
///
/// Bodies stay as they are that have a `Content-Encoding`, a digest, a `Content-Range` or trailers, which may hold a digest, and
/// those of types that are compressed already, such as images and archives. Do not compress secrets together with what an
/// attacker can choose (CRIME, BREACH).
///
/// Place: outside of authentication and of whatever signs the body; inside of status validation.
public struct CompressionMiddleware: NetworkMiddleware {
    /// Which servers get compressed bodies.
    public struct Servers: Sendable {
        let origins: Set<Origin>?
        let isAny: Bool

        /// Those that have said that they take gzip.
        public static let known = Servers(origins: nil, isAny: false)
        /// These, and those that have said so.
        public static func origins(_ origins: Origin...) -> Servers { Servers(origins: Set(origins), isAny: false) }
        /// Each that has not said otherwise.
        public static let any = Servers(origins: nil, isAny: true)
    }

    private let minimumSize: Int64
    private let level: Int32
    private let knowledge: CompressionKnowledge

    /// - Parameters:
    ///   - servers: Default: those that have said that they take gzip.
    ///   - minimumSize: shorter bodies are sent as they are. Default: 1024 bytes. Bodies of unknown length count as long.
    ///   - level: from 1, the quickest, to 9, the smallest. Default: 6.
    public init(_ servers: Servers = .known, minimumSize: Int = 1024, level: Int = 6) {
        self.minimumSize = Int64(minimumSize)
        self.level = Int32(min(max(level, 1), 9))
        knowledge = CompressionKnowledge(servers)
    }

    @_documentation(visibility: internal)
    public var placement: MiddlewarePlacement {
        let reason = "what is signed would be another body than the one that is sent"
        return MiddlewarePlacement(
            role: .compression,
            rules: [
                .inside(.redirects, because: "another server would get a body that it may not take"),
                .inside(
                    .statusValidation, because: "a refusal of the compressed body would be thrown before it is seen"),
                .outside(.authentication, because: reason), .outside(.signing, because: reason),
                .once(because: "the outer one leaves nothing to compress"),
            ], repeatsRequests: true)
    }

    @_documentation(visibility: internal)
    public func intercept(_ request: TransportRequest, next: Next) async throws -> TransportResponse {
        if request.body.isEmpty {
            let response = try await next(request)
            knowledge.learn(from: response.head, to: request)
            return response
        }
        return try await send(request, next)
    }

    // A function of its own: most requests have no body, and their tasks need no memory for this.
    @inline(never)
    private func send(_ request: TransportRequest, _ next: Next) async throws -> TransportResponse {
        guard let compressed = try compressed(request) else {
            let response = try await next(request)
            knowledge.learn(from: response.head, to: request)
            return response
        }
        let response = try await next(compressed)
        knowledge.learn(from: response.head, to: request)
        guard response.head.status == .unsupportedMediaType, CompressionKnowledge.takesGzip(response.head) != true
        else {
            return response
        }
        guard request.body.isReplayable else {
            knowledge.note(false, of: request)
            return response
        }
        await response.body.discard()
        try Task.checkCancellation()
        request.call?.nextAttempt(.other("without compression"))
        let plain = try await next(request)
        // The same refusal again is about the type of the body.
        if plain.head.status != .unsupportedMediaType { knowledge.note(false, of: request) }
        knowledge.learn(from: plain.head, to: request)
        return plain
    }

    /// The request with its body compressed; `nil` when it is to be sent as it is.
    private func compressed(_ request: TransportRequest) throws -> TransportRequest? {
        let fields = request.head.headerFields
        guard request.body.length.map({ $0 >= minimumSize && $0 > 0 }) ?? true,
            !request.body.hasTrailers, !Self.isFixed(fields),
            !Self.isCompressed(HTTPFields.essence(of: fields[.contentType])), knowledge.allows(request)
        else { return nil }
        var request = request
        if let data = request.body.data, data.count <= Self.inMemory {
            let compressed = try GzipEncoder.compress(data, level: level)
            guard compressed.count < data.count else { return nil }
            request.body = .data(compressed)
        } else {
            request.body = .gzip(request.body, level: level)
        }
        request.head.headerFields[.contentEncoding] = "gzip"
        request.head.headerFields[.contentLength] = nil
        return request
    }

    /// Up to this size a body is compressed before it is sent: a few milliseconds.
    private static let inMemory = 1 << 20

    /// What says something of the bytes as they are.
    private static func isFixed(_ fields: HTTPFields) -> Bool {
        if fields[.contentEncoding] != nil || fields[.contentRange] != nil { return true }
        let digests: Set<String> = ["content-digest", "repr-digest", "digest", "content-md5"]
        return fields.contains { digests.contains($0.name.canonicalName) }
    }

    private static func isCompressed(_ type: String?) -> Bool {
        guard let type else { return false }
        if ["image/svg+xml", "image/bmp", "image/x-icon"].contains(type) { return false }
        let archives: Set<String> = [
            "application/zip", "application/gzip", "application/x-gzip", "application/zstd",
            "application/x-7z-compressed", "application/x-rar-compressed", "application/vnd.rar", "application/x-bzip2",
            "application/x-xz",
            "font/woff", "font/woff2",
        ]
        return ["image/", "audio/", "video/"].contains { type.hasPrefix($0) } || archives.contains(type)
    }
}

extension MiddlewarePlacement.Role {
    /// Compresses the bodies of requests.
    public static let compression: Self = "compression"
}
