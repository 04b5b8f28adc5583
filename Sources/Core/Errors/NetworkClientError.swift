// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// What went wrong in a call, and at which stage.
///
///     malformedURL · invalidRequest · encodingFailed · unsupportedByTransport  before anything was sent
///     signedOut · circuitOpen · concurrencyLimited · rateLimited               the same
///     dnsFailed · cannotConnect · tlsFailed · proxyFailed                      while connecting
///     uploadFailed · connectionLost · protocolViolation · timedOut             during the exchange
///     bodyTooLarge · contentEncodingFailed · bodyAlreadyConsumed               while reading the body
///     fileFailed                                                               while saving it
///     tooManyRedirects · invalidRedirect · bodyNotReplayable                   between exchanges
///     unacceptableStatus · unacceptableContentType · decodingFailed            with the response at hand
///     errorEvent                                                               while reading a stream
///     transportShutDown                                                        after the transport was closed
///     internalFailure                                                          anywhere in the transport
///     cancelled · foreign                                                      anywhere, under typed throws
///
/// `CancellationError`, and errors that a middleware throws on its own account, pass through unchanged. The description
/// holds no header value, no query and no body: where JSON could not be decoded, it names the place by its keys, and quotes
/// no value.
public struct NetworkClientError: Error, Sendable {
    public var code: Code
    /// One sentence for a person. Free of secrets. Where a body could not be encoded or decoded, it names the place:
    /// `the body could not be decoded as Post: items[1].price: expected Double, found a string (line 3, column 20)`.
    public var message: String
    /// The response's head, when there was one.
    public var response: HTTPResponse?
    /// The start of the response's body, at most 64 KiB.
    public var body: Data?
    /// What happened on the way: attempts, reasons, timings.
    public var exchange: ExchangeRecord?
    /// The error underneath: the backend's, an `EncodingError`, a `DecodingError` …
    public var cause: (any Error)?
    /// Which limit was passed, when ``code-swift.property`` is ``Code-swift.struct/timedOut``.
    public var timeout: Timeouts.Kind?
    /// Whether the server has certainly not acted on the request, in no attempt of the call, so that the request may be sent again
    /// whatever its method. An attempt was not acted on when a limit or a breaker of the client's own has refused the call, when there was no connection, or
    /// when it was lost during the TLS handshake. A transport may
    /// also set it when the server refused the exchange without looking at it (HTTP/2 `GOAWAY`, `REFUSED_STREAM`: RFC
    /// 9113 §8.7); URLSession reports that as a lost connection.
    public var isUnprocessed: Bool
    /// Whether the last attempt was not acted on, though an earlier one may have been.
    var wasUnprocessedAtLast = false

    /// The decoder that the call would have used for its response.
    package var decoder: (any ResponseBodyDecoder)?

    /// What `cause` says of a place in a body is appended to the message.
    public init(
        _ code: Code, _ message: String, response: HTTPResponse? = nil, body: Data? = nil,
        exchange: ExchangeRecord? = nil, cause: (any Error)? = nil
    ) {
        self.code = code
        self.message = [message, cause.flatMap(Self.outline)].compactMap { $0 }.joined(separator: ": ")
        self.response = response
        self.body = body
        self.exchange = exchange
        self.cause = cause
        isUnprocessed = code == .dnsFailed || code == .cannotConnect || code.isRefusalOfClient
    }

    /// The error of a limit that passed.
    public static func timedOut(_ kind: Timeouts.Kind, after limit: Duration? = nil, cause: (any Error)? = nil) -> Self
    {
        let span = limit.map { " of \($0.brief)" } ?? ""
        var error = Self(.timedOut, "the \(kind) timeout\(span) passed", cause: cause)
        error.timeout = kind
        error.isUnprocessed = kind == .connect
        return error
    }

    /// The error of a body that has more than `limit` bytes.
    package static func bodyTooLarge(_ limit: Int) -> Self {
        Self(.bodyTooLarge, "the body is larger than \(limit) bytes")
    }

    /// Whether TLS failed because the connection beneath it ended, and not because it refused something: in the words of
    /// OpenSSL and of GnuTLS.
    package static func namesLostConnection(_ text: String) -> Bool {
        let text = text.lowercased()
        return ["reset", "ssl_error_syscall", "unexpected eof", "non-properly terminated"]
            .contains { text.contains($0) }
    }

    /// How much of a response's body an error keeps: 64 KiB.
    package static let bodyLimit = 64 * 1024

    /// What an error keeps of a body: a copy, because a slice would keep all of it in memory.
    package static func start(of body: Data) -> Data { Data(body.prefix(bodyLimit)) }
}

extension NetworkClientError {
    /// The stage at which a call failed. More may come: a `switch` needs a `default`.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        private enum Value: String {
            case malformedURL, invalidRequest, encodingFailed, unsupportedByTransport, transportShutDown
            case dnsFailed, cannotConnect, tlsFailed, proxyFailed, connectionLost, protocolViolation, timedOut
            case bodyTooLarge, contentEncodingFailed, bodyAlreadyConsumed, bodyNotRead, fileFailed, uploadFailed
            case bodyNotReplayable, signedOut, circuitOpen, concurrencyLimited, rateLimited
            case tooManyRedirects, invalidRedirect, unacceptableStatus, unacceptableContentType, decodingFailed,
                errorEvent, internalFailure, cancelled, foreign
        }

        private let value: Value

        /// - Parameter name: as ``description`` has it; `nil` for another text.
        package init?(name: String) {
            guard let value = Value(rawValue: name) else { return nil }
            self.value = value
        }

        private init(value: Value) { self.value = value }

        public var description: String { value.rawValue }

        /// Whether a layer of the client's own has refused the call for the sake of its load.
        package var isRefusalOfClient: Bool {
            value == .circuitOpen || value == .concurrencyLimited || value == .rateLimited
        }

        /// The URL cannot be built or is not `http`/`https`.
        public static let malformedURL = Code(value: .malformedURL)
        /// A method, target or field has a character that may not go on the wire (CR, LF, NUL, other control characters).
        public static let invalidRequest = Code(value: .invalidRequest)
        /// The body, form or query could not be encoded.
        public static let encodingFailed = Code(value: .encodingFailed)
        /// The request asks for something that this transport cannot do.
        public static let unsupportedByTransport = Code(value: .unsupportedByTransport)
        /// There is no login: nobody has signed in, or the session is over. Calls wait for nobody to sign in.
        public static let signedOut = Code(value: .signedOut)
        /// A circuit breaker sends nothing to the server for now, because too many calls have failed.
        public static let circuitOpen = Code(value: .circuitOpen)
        /// As many calls are under way as are allowed, and as many wait as may.
        public static let concurrencyLimited = Code(value: .concurrencyLimited)
        /// As many requests have been sent as are allowed in this time, and the wait for the next one is too long.
        public static let rateLimited = Code(value: .rateLimited)
        /// The transport was shut down.
        public static let transportShutDown = Code(value: .transportShutDown)
        /// The host name could not be resolved.
        public static let dnsFailed = Code(value: .dnsFailed)
        /// No connection: refused, unreachable.
        public static let cannotConnect = Code(value: .cannotConnect)
        /// The TLS handshake or the certificate's verification failed.
        public static let tlsFailed = Code(value: .tlsFailed)
        /// The proxy refused or could not be reached.
        public static let proxyFailed = Code(value: .proxyFailed)
        /// The connection ended before the response was complete.
        public static let connectionLost = Code(value: .connectionLost)
        /// What arrived is not HTTP, or breaks its framing rules.
        public static let protocolViolation = Code(value: .protocolViolation)
        /// One of the four ``Timeouts`` passed; ``NetworkClientError/timeout`` tells which.
        public static let timedOut = Code(value: .timedOut)
        /// The decoded body is larger than the limit.
        public static let bodyTooLarge = Code(value: .bodyTooLarge)
        /// The content coding (gzip, br …) of the response is damaged or unknown.
        public static let contentEncodingFailed = Code(value: .contentEncodingFailed)
        /// A body that can be read once was read twice.
        public static let bodyAlreadyConsumed = Code(value: .bodyAlreadyConsumed)
        /// What comes behind a body was asked for before the body was read to its end.
        public static let bodyNotRead = Code(value: .bodyNotRead)
        /// The file for a body could not be created, written or moved to its place: the disk is full, the folder is not
        /// writable …
        public static let fileFailed = Code(value: .fileFailed)
        /// The request's body could not be read or was shorter or longer than announced.
        public static let uploadFailed = Code(value: .uploadFailed)
        /// The request has to be sent again, but its body can be produced only once.
        public static let bodyNotReplayable = Code(value: .bodyNotReplayable)
        /// More redirects than ``RedirectPolicy/limit``.
        public static let tooManyRedirects = Code(value: .tooManyRedirects)
        /// A redirect to a place that may not be followed.
        public static let invalidRedirect = Code(value: .invalidRedirect)
        /// The status is outside the accepted range. The error has the start of the body, as far as it came within ten
        /// seconds and without a second of silence.
        public static let unacceptableStatus = Code(value: .unacceptableStatus)
        /// The response's media type is not the expected one.
        public static let unacceptableContentType = Code(value: .unacceptableContentType)
        /// The body could not be decoded as the expected model.
        public static let decodingFailed = Code(value: .decodingFailed)
        /// The server reported an error within a stream: by an event named `error`, or by an object that has a member `error`
        /// and nothing that the model reads. Its data are the error's body. Or the peer closed a WebSocket with a status
        /// that names a failure.
        public static let errorEvent = Code(value: .errorEvent)
        /// A failure of the transport's own machinery.
        public static let internalFailure = Code(value: .internalFailure)
        /// The call was cancelled. Only where the type of errors is fixed (typed throws); elsewhere `CancellationError` is
        /// thrown.
        public static let cancelled = Code(value: .cancelled)
        /// What a middleware threw on its own account; it is the ``NetworkClientError/cause``. Only where the type of errors
        /// is fixed (typed throws); elsewhere it is thrown as it is.
        public static let foreign = Code(value: .foreign)
    }
}

extension NetworkClientError {
    /// Whether the same call may succeed later: because the server has not acted (``isUnprocessed``), the connection
    /// was lost, or the exchange took too long. When the deadline of the whole call has passed, this is `false`.
    ///
    /// Whether the request may be sent again is another question: an exchange that broke off may have had its effect.
    public var isTransient: Bool {
        isUnprocessed || wasUnprocessedAtLast || code == .connectionLost || (code == .timedOut && timeout != .deadline)
    }

    /// Decodes the response's body by `decoder` or, without one, by the decoder that the call would have used. If that
    /// one reads only a part of a body, by a key path for example, the body of a refused response is still read as a
    /// whole. `Data`, `String` and optionals are read as ``NetworkClientProtocol/run(_:)`` reads them.
    ///
    ///     catch let error as NetworkClientError where error.code == .unacceptableStatus {
    ///         let problem = try error.decode(Problem.self)
    ///     }
    ///
    /// - Throws: the decoder's error; ``Code-swift.struct/decodingFailed`` when there is no body or no decoder.
    public func decode<Model: Decodable>(
        _ type: Model.Type = Model.self, using decoder: (any ResponseBodyDecoder)? = nil
    ) throws -> Model {
        let own = code == .decodingFailed ? self.decoder : self.decoder?.forWholeBodies
        guard let response, let body, let decoder = decoder ?? own else {
            throw NetworkClientError(.decodingFailed, "the error carries no body to decode", exchange: exchange)
        }
        return try ModelDecoding.decode(type, from: body, response: response, decoder: decoder)
    }
}

extension NetworkClientError: CustomReflectable, DescribedError {
    public var description: String {
        var text = "\(code): \(message)"
        if let response, !message.hasSuffix(" status \(response.status.code)") {
            text += " (status \(response.status.code))"
        }
        if let exchange, let summary = exchange.summary { text += " [\(summary)]" }
        return text
    }

    /// Where in a body, and what is wrong there.
    private static func outline(of cause: any Error) -> String? {
        let outline =
            (cause as? any ValueFreeError)?.outline ?? (cause as? EncodingError)?.outline
            ?? (cause as? DecodingError)?.outline
        return outline.map(line)
    }

    /// At most 300 characters, without those that could end a line of a log: keys may be long, and have any.
    private static func line(of text: String) -> String {
        let scalars = text.unicodeScalars
        let kept = scalars.prefix(300)
        let line = kept.map { $0.isControl || $0 == "\u{2028}" || $0 == "\u{2029}" ? " " : String($0) }.joined()
        return kept.endIndex == scalars.endIndex ? line : line + "…"
    }

    /// Head and body of the response stay out of dumps, and of the cause all but its type: it may quote them.
    @_documentation(visibility: internal)
    public var customMirror: Mirror {
        Mirror(
            self,
            children: [
                "code": code, "message": message, "status": response?.status.code as Any, "timeout": timeout as Any,
                "isUnprocessed": isUnprocessed, "exchange": exchange as Any,
                "cause": cause.map { type(of: $0) } as Any,
            ], displayStyle: .struct)
    }
}
