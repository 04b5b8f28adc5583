// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
package import StrataCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The content codings (RFC 9110 §8.4.1) that can be decoded.
///
/// libcurl could decode them, but 7.88.1 refuses a gzip body of several members, accepts a truncated body as complete
/// when its framing is intact, and on a pause keeps everything that a decompression bomb has unpacked to. Here the
/// reader pulls the decoded bytes on its own thread, and no more is unpacked than it asks for. br and zstd are decoded
/// by the libraries that are in the process, or are installed.
package enum ContentCoding: String {
    case gzip, deflate
    case brotli = "br"
    case zstd

    init?(name: some StringProtocol) {
        let name = name.lowercased()
        self.init(rawValue: name == "x-gzip" ? "gzip" : name)
        if !isAvailable { return nil }
    }

    private static let available: [ContentCoding] = [.gzip, .deflate, .brotli, .zstd].filter(\.isAvailable)

    /// The value of `Accept-Encoding`.
    package static let acceptable = available.map(\.rawValue).joined(separator: ", ")

    package static let features: TransportCapabilities.Features = {
        var features: TransportCapabilities.Features = .contentDecoding
        if available.contains(.brotli) { features.insert(.brotli) }
        if available.contains(.zstd) { features.insert(.zstd) }
        return features
    }()

    private var isAvailable: Bool {
        switch self {
        case .gzip, .deflate: true
        case .brotli: BrotliDecoder.library != nil
        case .zstd: ZstdDecoder.library != nil
        }
    }

    func makeDecoder() throws -> any ContentDecoder {
        switch self {
        case .gzip: try InflateDecoder(.gzip)
        case .deflate: try InflateDecoder(.deflate)
        case .brotli: try BrotliDecoder()
        case .zstd: try ZstdDecoder()
        }
    }

    /// Only an attacker has a use for more codings than this on one body.
    private static let maximumCount = 4

    /// Replaces an encoded body by the decoded one. `Content-Encoding` and `Content-Length`, which do not describe that
    /// one, move from the head to the metrics. With an unknown coding the response stays as it is. With more than four
    /// codings its body fails when it is read: nobody could tell what its bytes are.
    package static func decode(_ response: inout TransportResponse) {
        // A part of an encoded body cannot be decoded by itself.
        guard response.head.status != .partialContent, response.body.length != 0 else { return }
        let encoding = response.head.headerFields[values: .contentEncoding].joined(separator: ", ")
        var codings: [ContentCoding] = []
        for part in encoding.utf8.split(separator: UInt8(ascii: ",")) {
            let name = String(decoding: part.trimmingBlanks, as: UTF8.self)
            if name.isEmpty || name.lowercased() == "identity" { continue }
            guard let coding = ContentCoding(name: name) else { return }
            codings.append(coding)
        }
        guard !codings.isEmpty else { return }
        guard codings.count <= maximumCount else {
            response.body = response.body.mapSource { TooManyCodings($0) }
            return
        }
        // The last one was applied last.
        for coding in codings.reversed() {
            response.body = response.body.mapSource { DecodingSource($0, coding: coding) }
        }
        let length = response.head.headerFields[.contentLength].flatMap { Int64($0) }
        response.metrics?.contentEncoding = encoding
        response.metrics?.contentLength = length
        response.head.headerFields[.contentEncoding] = nil
        response.head.headerFields[.contentLength] = nil
    }
}

/// The body of a response with more content codings than anybody has a use for.
private final class TooManyCodings: BodySource {
    private let source: any BodySource

    init(_ source: any BodySource) { self.source = source }

    func next() async throws -> Data? {
        source.cancel()
        throw NetworkClientError(.contentEncodingFailed, "the body has more than four content codings")
    }

    func cancel() { source.cancel() }
}
