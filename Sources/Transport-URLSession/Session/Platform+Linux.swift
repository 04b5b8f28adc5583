// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationNetworking)

import CStrataSupport
import Foundation
import FoundationNetworking
import HTTPTypes
import StrataCore

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

extension Platform {
    static let capabilities: TransportCapabilities = {
        let version = libcurlVersion
        var features: TransportCapabilities.Features = [
            .streamingResponse, .streamingUpload, .anyMethod, .contentDecoding, .challengesDelivered,
        ]
        if version?.contains("nghttp2/") == true { features.insert(.http2) }
        if version?.contains("brotli/") == true { features.insert(.brotli) }
        if version?.contains("zstd/") == true { features.insert(.zstd) }
        let libcurl = version?.prefix { $0 != " " }
        return TransportCapabilities(
            name: libcurl.map { "URLSession (\($0))" } ?? "URLSession", features: features,
            remarks: [
                "The sender cannot be slowed down: above 256 KiB a body that is not read waits in an unnamed temporary file.",
                "A streamed request body is written to an unnamed temporary file and sent when it is complete.",
                "The connect timeout is watched while a request with a body connects; without a body, idle covers it.",
                "Waiting for a server keeps about one core busy.",
                "One queue serves all sessions: a server that floods its connection holds up other calls, up to their timeouts.",
                "Chunked trailers, the greatest Content-Length, and a connection that ends inside the response's head, end the process.",
                "Field names arrive and leave capitalised; repeated fields are joined by commas, Set-Cookie is split again.",
                "Fields with bytes that are not UTF-8, and a status line without a space after the code, fail the exchange.",
                "The body of a redirect is held in memory, and lost when its Location is missing or malformed.",
                "A compressed body that is cut short is taken for complete; an unknown coding fails the exchange.",
                "A request without a body is sent twice when its kept connection turns out to be closed, also a POST.",
                "Dot segments in a path are resolved; an IPv6 address in a URL is refused.",
                "Proxies come from the environment (http_proxy, https_proxy, no_proxy); those of the configuration are ignored.",
            ])
    }()

    /// The text of `curl_version`, when libcurl is linked dynamically.
    private static let libcurlVersion: String? = {
        typealias Function = @convention(c) () -> UnsafePointer<CChar>?
        guard let symbol = dlsym(nil, "curl_version") else { return nil }
        return unsafeBitCast(symbol, to: Function.self)().map { String(cString: $0) }
    }()

    /// `suspend()` takes the transfer out of libcurl and `resume()` sends the request a second time, so neither is used.
    static let overflow = ReceivedBody.Overflow.spills

    /// Trailers trap inside FoundationNetworking; a client that does not ask for them rarely gets any (RFC 9110 §6.5.1).
    static let failsOnTrailers = true

    /// `http://[::1]/` fails with `badURL`: FoundationNetworking puts the host together without its brackets.
    static let failsOnIPv6Addresses = true

    /// Fields that are added unasked, and would be here if they could not be suppressed.
    static let suppressibleFields: [HTTPField.Name] = [.accept, .acceptLanguage, .connection, .contentType, .userAgent]

    /// libcurl takes a blank field for the wish to send none; FoundationNetworking hands a blank through, but not an empty text.
    static let suppressedValue = " "

    /// libcurl fails on codings that it cannot decode, so whatever arrives has been decoded.
    static func decodes(_ coding: String) -> Bool { coding.lowercased() != "identity" }

    /// Comes before the first session of the process, with which libcurl begins to use OpenSSL.
    static func prepareProcess() { strata_keep_openssl_at_exit() }

    /// Runs the callbacks where they arise. A real queue adds 16 MB to a large download, as nothing bounds it.
    static func delegateQueue() -> OperationQueue { InlineQueue() }

    /// Sends a body from disk; a stream is written there first.
    ///
    /// All sessions of the process share one queue, and body streams are read on it: one that waits for its producer would stop
    /// every transfer, that of its producer perhaps among them.
    static func startUpload(
        of request: TransportRequest, as urlRequest: URLRequest, in engine: SessionEngine
    ) throws -> URLExchange {
        if case .file(let path, let offset, let length) = request.body.kind {
            let body = try FileBodySource(path: path, offset: offset, length: length)
            let (exchange, transfer) = try engine.makeExchange(request)
            engine.begin(exchange, transfer, attach(body, to: urlRequest, of: exchange), showsConnection: length > 0)
            return exchange
        }
        let source = try request.body.makeSource()
        let (exchange, transfer) = try engine.makeExchange(request)
        let unchecked = HandedOver(value: urlRequest)
        exchange.upload {
            exchange.setAwaitingBody(true)
            let body = try await FileBodySource.spool(source)
            exchange.setAwaitingBody(false)
            let urlRequest = attach(body, to: unchecked.value, of: exchange)
            engine.begin(exchange, transfer, urlRequest, showsConnection: body.length > 0)
        } onEnd: {
            source.cancel()
        }
        return exchange
    }

    private static func attach(_ body: FileBodySource, to request: URLRequest, of exchange: URLExchange) -> URLRequest {
        var request = request
        request.httpBodyStream = DiskInputStream(body) { [weak exchange] in exchange?.fail($0) }
        request.setValue(String(body.length), forHTTPHeaderField: HTTPField.Name.contentLength.rawName)
        request.setValue(suppressedValue, forHTTPHeaderField: HTTPField.Name.transferEncoding.rawName)
        return request
    }

    /// Only Basic challenges are announced, after the body and with the task waiting for an answer. There is none that lets the
    /// task end well: the exchange is over, and the task is cancelled.
    static func answer(
        _ challenge: URLAuthenticationChallenge, in session: URLSession, task: URLSessionTask, exchange: URLExchange,
        trust: SessionTrust?,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        exchange.finish(head: nil, error: nil)
        // Cancelling waits for the queue that this callback runs on.
        DispatchQueue.global().async { completionHandler(.cancelAuthenticationChallenge, nil) }
    }
}

/// An operation queue that runs blocks at once, on the caller's thread.
private final class InlineQueue: OperationQueue, @unchecked Sendable {
    // Unchecked as its base class is; it has no state of its own.
    override func addOperation(_ block: @escaping @Sendable () -> Void) { block() }
}

/// What FoundationNetworking reads a body from: on the session's queue alone, and without waiting.
private final class DiskInputStream: InputStream {
    private let body: FileBodySource
    private let onFailure: (any Error) -> Void
    private var status = Stream.Status.notOpen

    init(_ body: FileBodySource, onFailure: @escaping (any Error) -> Void) {
        self.body = body
        self.onFailure = onFailure
        super.init(data: Data())
    }

    override func open() { status = .open }
    override func close() { status = .closed }
    override var streamStatus: Stream.Status { status }
    override var streamError: (any Error)? { nil }
    /// No bytes would be taken for the end before it is read.
    override var hasBytesAvailable: Bool { true }

    override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength length: Int) -> Int {
        do {
            return try body.read(into: UnsafeMutableRawBufferPointer(start: buffer, count: length))
        } catch {
            onFailure(error)
            return -1
        }
    }

    override func getBuffer(
        _ buffer: UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>, length: UnsafeMutablePointer<Int>
    ) -> Bool { false }
}

#endif
