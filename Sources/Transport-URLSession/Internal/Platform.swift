// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import StrataCore

#if canImport(FoundationNetworking)
import Foundation
import FoundationNetworking
#else
import Foundation
#endif
#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Everything in which Apple's URLSession and the one of swift-corelibs-foundation differ.
enum Platform {
    /// A copy with everything switched off that the layers above decide: cookies, cache, stored credentials and timeouts.
    static func prepared(_ configuration: URLSessionConfiguration) -> URLSessionConfiguration {
        let copy = configuration.copy() as? URLSessionConfiguration ?? .ephemeral
        copy.urlCache = nil
        copy.requestCachePolicy = .reloadIgnoringLocalCacheData
        copy.httpCookieStorage = nil
        copy.httpShouldSetCookies = false
        copy.httpCookieAcceptPolicy = .never
        copy.urlCredentialStorage = nil
        // Limits on time are watched here: the session's own cannot be told apart and are broken on Linux.
        copy.timeoutIntervalForRequest = forever
        copy.timeoutIntervalForResource = forever
        return copy
    }

    /// A year.
    static let forever: Double = 365 * 86_400
}

#if canImport(FoundationNetworking)

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
                "The connect timeout is watched while a request with a body connects; without a body, idle covers it.",
                "Waiting for a server keeps about one core busy.",
                "Chunked trailers, and a connection that ends inside the response's head, end the process.",
                "Field names arrive and leave capitalised; repeated fields are joined by commas, Set-Cookie is split again.",
                "Fields with bytes that are not UTF-8, and a status line without a space after the code, fail the exchange.",
                "The body of a redirect is held in memory, and lost when its Location is missing or malformed.",
                "A compressed body that is cut short is taken for complete.",
                "Dot segments in a path are resolved.",
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

    /// A body stream is read on the queue that serves all transfers of a session.
    static let streamedUploadsBlockTheSession = true

    /// Trailers trap inside FoundationNetworking; a client that does not ask for them rarely gets any (RFC 9110 §6.5.1).
    static let failsOnTrailers = true

    /// Fields that are added unasked, and would be here if they could not be suppressed.
    static let suppressibleFields: [HTTPField.Name] = [.accept, .acceptLanguage, .connection, .contentType, .userAgent]

    /// libcurl takes a blank field for the wish to send none; FoundationNetworking hands a blank through, but not an empty text.
    static let suppressedValue = " "

    /// libcurl fails on codings that it cannot decode, so whatever arrives has been decoded.
    static func decodes(_ coding: String) -> Bool { coding.lowercased() != "identity" }

    /// Runs the callbacks where they arise. A real queue adds 16 MB to a large download, as nothing bounds it.
    static func delegateQueue() -> OperationQueue { InlineQueue() }

    static func attach(_ pipe: UploadPipe, to request: inout URLRequest, length: Int64?) {
        request.httpBodyStream = PipeInputStream(pipe)
        guard let length else { return }
        request.setValue(String(length), forHTTPHeaderField: HTTPField.Name.contentLength.rawName)
        request.setValue(suppressedValue, forHTTPHeaderField: HTTPField.Name.transferEncoding.rawName)
    }

    /// Only Basic challenges are announced, after the body and with the task waiting for an answer. There is none that lets the
    /// task end well: the exchange is over, and the task is cancelled.
    static func answer(
        _ challenge: URLAuthenticationChallenge, in session: URLSession, exchange: URLExchange,
        trust: (any URLSessionDelegate)?,
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

/// What FoundationNetworking reads a streamed body from.
///
/// The session opens and reads it on its own queue alone.
private final class PipeInputStream: InputStream {
    private let pipe: UploadPipe
    private var status = Stream.Status.notOpen

    init(_ pipe: UploadPipe) {
        self.pipe = pipe
        super.init(data: Data())
    }

    override func open() { status = .open }
    override func close() { status = .closed }
    override var streamStatus: Stream.Status { status }
    override var streamError: (any Error)? { nil }
    /// No bytes would be taken for the end; reading waits for them.
    override var hasBytesAvailable: Bool { true }

    override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength length: Int) -> Int {
        pipe.read(into: UnsafeMutableRawBufferPointer(start: buffer, count: length)) ?? -1
    }

    override func getBuffer(
        _ buffer: UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>, length: UnsafeMutablePointer<Int>
    ) -> Bool { false }
}

#else

extension Platform {
    static let capabilities = TransportCapabilities(
        name: "URLSession",
        features: [
            .streamingResponse, .streamingUpload, .backpressure, .anyMethod, .http2, .contentDecoding, .brotli,
            .proxies,
            .challengesDelivered,
        ],
        remarks: [
            "The connect timeout is watched while a request with a body connects; without a body, idle covers it.",
            "Repeated fields are joined by commas, Set-Cookie is split again.",
            "User-Agent, Accept, Accept-Language, and Content-Type on a POST are added when the request has none.",
        ])

    static let overflow = ReceivedBody.Overflow.holdsTransfer
    static let streamedUploadsBlockTheSession = false
    static let failsOnTrailers = false
    static let suppressibleFields: [HTTPField.Name] = []
    static let suppressedValue = ""

    static func decodes(_ coding: String) -> Bool {
        coding.split(separator: ",").allSatisfy { coding in
            ["gzip", "x-gzip", "deflate", "br"].contains(coding.lowercased().filter { $0 != " " })
        }
    }

    static func delegateQueue() -> OperationQueue {
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 1
        return queue
    }

    /// A bound pair of streams: subclasses of `InputStream` are not enough for CFNetwork.
    static func attach(_ pipe: UploadPipe, to request: inout URLRequest, length: Int64?) {
        var input: InputStream?
        var output: OutputStream?
        Stream.getBoundStreams(withBufferSize: 64 * 1024, inputStream: &input, outputStream: &output)
        guard let input, let output else { return pipe.fail() }
        request.httpBodyStream = input
        if let length { request.setValue(String(length), forHTTPHeaderField: HTTPField.Name.contentLength.rawName) }
        let boxed = UncheckedTransfer(value: output)
        DispatchQueue(label: "strata.urlsession.upload").async { pump(pipe, into: boxed.value) }
    }

    private static func pump(_ pipe: UploadPipe, into output: OutputStream) {
        output.open()
        defer { output.close() }
        withUnsafeTemporaryAllocation(byteCount: 16 * 1024, alignment: 1) { buffer in
            while let count = pipe.read(into: buffer), count > 0 {
                var written = 0
                while written < count, let start = buffer.baseAddress {
                    let result = output.write(
                        (start + written).assumingMemoryBound(to: UInt8.self), maxLength: count - written)
                    guard result > 0 else { return pipe.fail() }
                    written += result
                }
            }
        }
    }

    /// Trust in the server and client certificates are the given session's delegate's business, or the system's. Every challenge
    /// of HTTP is turned down, so that its response is delivered.
    static func answer(
        _ challenge: URLAuthenticationChallenge, in session: URLSession, exchange: URLExchange,
        trust: (any URLSessionDelegate)?,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        switch challenge.protectionSpace.authenticationMethod {
        case NSURLAuthenticationMethodServerTrust, NSURLAuthenticationMethodClientCertificate:
            guard let answer = trust?.urlSession(_:didReceive:completionHandler:) else {
                return completionHandler(.performDefaultHandling, nil)
            }
            answer(session, challenge, completionHandler)
        default: completionHandler(.rejectProtectionSpace, nil)
        }
    }
}

#endif
