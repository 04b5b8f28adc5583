// SPDX-License-Identifier: Apache-2.0

import HTTPTypes

/// What a transport can do.
public struct TransportCapabilities: Hashable, Sendable {
    /// Name and version, as they stand in records: `libcurl/8.5.0`.
    public var name: String
    public var features: Features
    /// What is worth knowing beyond the list, one sentence each.
    public var remarks: [String]

    public init(name: String, features: Features = [], remarks: [String] = []) {
        self.name = name
        self.features = features
        self.remarks = remarks
    }

    public struct Features: OptionSet, Hashable, Sendable {
        public let rawValue: UInt32
        public init(rawValue: UInt32) { self.rawValue = rawValue }

        /// Hands out the body while it arrives.
        public static let streamingResponse = Features(rawValue: 1 << 0)
        /// Sends a body of unknown length, or larger than memory.
        public static let streamingUpload = Features(rawValue: 1 << 1)
        /// A slow reader slows the sender, in bounded memory.
        public static let backpressure = Features(rawValue: 1 << 2)
        /// Sends a body with methods that give it no meaning, such as GET. With HEAD it may be refused all the same.
        public static let bodyOnAnyMethod = Features(rawValue: 1 << 3)
        /// Field names keep their case, repeated fields their number and order, in both directions.
        public static let exactFields = Features(rawValue: 1 << 4)
        public static let http2 = Features(rawValue: 1 << 5)
        public static let http2PriorKnowledge = Features(rawValue: 1 << 6)
        /// Can be told to use HTTP/1.1 alone.
        public static let httpVersionChoice = Features(rawValue: 1 << 7)
        /// Methods outside RFC 9110 are sent as they are.
        public static let anyMethod = Features(rawValue: 1 << 8)
        public static let connectTimeout = Features(rawValue: 1 << 9)
        /// Decodes gzip and deflate.
        public static let contentDecoding = Features(rawValue: 1 << 10)
        public static let brotli = Features(rawValue: 1 << 11)
        public static let zstd = Features(rawValue: 1 << 12)
        public static let proxies = Features(rawValue: 1 << 13)
        public static let unixDomainSockets = Features(rawValue: 1 << 14)
        public static let customTrust = Features(rawValue: 1 << 15)
        public static let clientCertificates = Features(rawValue: 1 << 16)
        public static let publicKeyPinning = Features(rawValue: 1 << 17)
        /// Every 401 and 407 is delivered as a response.
        public static let challengesDelivered = Features(rawValue: 1 << 18)
        /// Sends a streamed body while it is produced; without it, the whole is produced first.
        public static let concurrentUpload = Features(rawValue: 1 << 19)
        /// Can leave out field lines that are no valid fields: ``RequestOptions/skipsInvalidFields``.
        public static let invalidFieldSkipping = Features(rawValue: 1 << 20)
        public static let http3 = Features(rawValue: 1 << 21)
        /// Sends fields behind a body: ``RequestBody/hasTrailers``.
        public static let requestTrailers = Features(rawValue: 1 << 22)
        /// Delivers fields behind a body: ``TransportResponse/trailers``.
        public static let responseTrailers = Features(rawValue: 1 << 23)
        /// Delivers 1xx heads: ``RequestOptions/onInterim``.
        public static let interimResponses = Features(rawValue: 1 << 24)
        /// Holds a body back for the server's consent: ``RequestOptions/expectContinue``.
        public static let expectContinue = Features(rawValue: 1 << 25)
        /// Hands over a connection that has switched protocols: ``RequestOptions/upgrade``.
        public static let upgrades = Features(rawValue: 1 << 26)
        /// Takes a proxy for one request: `RequestOptions.proxy` of `StrataTransportSupport`.
        public static let requestProxies = Features(rawValue: 1 << 27)
        /// Opens WebSockets, for `client.webSocket` of `StrataWebSocket`. A transport with ``upgrades`` does so without.
        public static let webSockets = Features(rawValue: 1 << 28)
    }
}

extension TransportCapabilities: CustomStringConvertible {
    /// The name and the features.
    public var description: String { "\(name): \(features)" }
}

extension TransportCapabilities.Features: CustomStringConvertible {
    /// In the order of the bits.
    private static let names = [
        "streamingResponse", "streamingUpload", "backpressure", "bodyOnAnyMethod", "exactFields", "http2",
        "http2PriorKnowledge", "httpVersionChoice", "anyMethod", "connectTimeout", "contentDecoding", "brotli", "zstd",
        "proxies", "unixDomainSockets", "customTrust", "clientCertificates", "publicKeyPinning", "challengesDelivered",
        "concurrentUpload", "invalidFieldSkipping", "http3", "requestTrailers", "responseTrailers", "interimResponses",
        "expectContinue", "upgrades", "requestProxies", "webSockets",
    ]

    public var description: String {
        let bits = Self.names.indices.filter { contains(Self(rawValue: 1 << $0)) }
        return bits.map { Self.names[$0] }.joined(separator: ", ")
    }
}

extension TransportCapabilities {
    /// Fails when the request asks for more than the transport can do: nothing is silently ignored.
    func check(_ request: TransportRequest) throws {
        let options = request.options
        switch options.httpVersion {
        case .automatic: break
        case .http1: try require(.httpVersionChoice, "HTTP/1.1 only")
        case .http2PriorKnowledge: try require(.http2PriorKnowledge, "HTTP/2 with prior knowledge")
        case .http3: try requireHTTP3(for: request)
        }
        if options.skipsInvalidFields { try require(.invalidFieldSkipping, "skipping invalid fields") }
        if let interaction = options.interaction { try check(interaction, hasBody: !request.body.isEmpty) }
        guard !request.body.isEmpty else { return }
        if request.body.hasTrailers { try require(.requestTrailers, "trailers behind a request's body") }
        if request.head.method == .get || request.head.method == .head {
            try require(.bodyOnAnyMethod, "a body on \(request.head.method.rawValue)")
        }
        if case .stream(nil, _, _) = request.body.kind { try require(.streamingUpload, "a body of unknown length") }
    }

    private func check(_ interaction: Interaction, hasBody: Bool) throws {
        if interaction.onInterim != nil { try require(.interimResponses, "interim responses") }
        if interaction.expectContinue != nil, hasBody { try require(.expectContinue, "waiting for 100 (Continue)") }
        if interaction.proxy != nil { try require(.requestProxies, "a proxy for one request") }
        guard let upgrade = interaction.upgrade else { return }
        guard UpgradeProtocol(upgrade) != nil else {
            throw NetworkClientError(
                .invalidRequest, "the protocol to switch to is no token (RFC 9110 §7.8)")
        }
        if features.contains(.upgrades) || features.contains(.webSockets) && upgrade.asciiLowercased == "websocket" {
            return
        }
        try require(.upgrades, "switching protocols")
    }

    /// The library that a transport is built on may have it and may not: another transport would not help.
    private func requireHTTP3(for request: TransportRequest) throws {
        guard features.contains(.http3) else {
            throw NetworkClientError(
                .unsupportedByTransport,
                "\(name) has no HTTP/3; CurlTransport has it where its libcurl was built with it")
        }
        guard request.head.scheme == "https" else {
            throw NetworkClientError(.unsupportedByTransport, "HTTP/3 is for https alone, and the URL is not")
        }
    }

    private func require(_ feature: Features, _ what: String) throws {
        guard !features.contains(feature) else { return }
        let ofNativeAlone: Features = [.requestProxies, .requestTrailers, .upgrades]
        let other =
            ofNativeAlone.contains(feature)
            ? "NativeTransport (module StrataNative)" : "CurlTransport (module StrataCurl)"
        throw NetworkClientError(.unsupportedByTransport, "\(name) does not support \(what); \(other) does")
    }
}
