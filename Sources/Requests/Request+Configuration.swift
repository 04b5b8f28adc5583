// SPDX-License-Identifier: Apache-2.0

public import Foundation

extension Request {
    /// How a request is sent, beside what is on the wire.
    ///
    /// ``timeoutInterval``, ``parseHTTPStatusErrors`` and ``appendTrailingSlashToPath`` hold for every client, and
    /// ``cachePolicy`` is sent to caches as `Cache-Control` (RFC 9111 §5.2.1). The others have no effect on requests
    /// that are sent through a client, because transports have no such switches. They are set on
    /// ``Request/urlRequest``, for code that sends it itself.
    public struct Configuration: Hashable, Sendable {
        public var allowsCellularAccess: Bool
        public var cachePolicy: URLRequest.CachePolicy
        public var httpShouldUsePipelining: Bool
        public var networkServiceType: URLRequest.NetworkServiceType
        public var httpShouldHandleCookies: Bool
        /// Whether the network may be used in Low Data Mode. Known on Apple platforms.
        public var allowsConstrainedNetworkAccess: Bool
        /// Whether a network may be used that the system takes for expensive. Known on Apple platforms.
        public var allowsExpensiveNetworkAccess: Bool
        /// Whether a status outside of 100 to 399 is an error: ``RequestError/httpStatus(request:error:)``. Default: no.
        public var parseHTTPStatusErrors: Bool
        /// Whether the URL's path gets a slash at its end if it has none. Default: no.
        public var appendTrailingSlashToPath: Bool

        /// The longest silence, in seconds, while the request is under way: for the connection, and between two pieces of
        /// the response. Default: 60; a client's own timeouts hold when nothing was said here. Zero or less, 1e9 and
        /// more, and what is no number: no limit.
        public var timeoutInterval: TimeInterval {
            get { givenTimeout.interval }
            set { givenTimeout = GivenTimeout(value: newValue) }
        }

        /// The timeout that was given; `nil` when none was.
        var timeout: TimeInterval? { givenTimeout.value }

        private var givenTimeout: GivenTimeout

        public init(
            allowsCellularAccess: Bool = true,
            cachePolicy: URLRequest.CachePolicy = .useProtocolCachePolicy,
            httpShouldUsePipelining: Bool = false,
            networkServiceType: URLRequest.NetworkServiceType = .default,
            timeoutInterval: TimeInterval? = nil,
            httpShouldHandleCookies: Bool = true,
            allowsConstrainedNetworkAccess: Bool = true,
            allowsExpensiveNetworkAccess: Bool = true,
            parseHTTPStatusErrors: Bool = false,
            appendTrailingSlashToPath: Bool = false
        ) {
            self.allowsCellularAccess = allowsCellularAccess
            self.cachePolicy = cachePolicy
            self.httpShouldUsePipelining = httpShouldUsePipelining
            self.networkServiceType = networkServiceType
            self.httpShouldHandleCookies = httpShouldHandleCookies
            self.allowsConstrainedNetworkAccess = allowsConstrainedNetworkAccess
            self.allowsExpensiveNetworkAccess = allowsExpensiveNetworkAccess
            self.parseHTTPStatusErrors = parseHTTPStatusErrors
            self.appendTrailingSlashToPath = appendTrailingSlashToPath
            givenTimeout = GivenTimeout(value: timeoutInterval)
        }

        /// The default with another timeout, in seconds, and with what is named beside it.
        public init(
            timeout: TimeInterval,
            cachePolicy: URLRequest.CachePolicy = .useProtocolCachePolicy,
            parseHTTPStatusErrors: Bool = false, appendTrailingSlashToPath: Bool = false
        ) {
            self.init(
                cachePolicy: cachePolicy, timeoutInterval: timeout, parseHTTPStatusErrors: parseHTTPStatusErrors,
                appendTrailingSlashToPath: appendTrailingSlashToPath)
        }

        public static var `default`: Configuration { Configuration() }
    }

    /// A timeout that was given, or the default: equal when the intervals are.
    private struct GivenTimeout: Hashable {
        let value: TimeInterval?

        var interval: TimeInterval { value ?? 60 }

        static func == (left: GivenTimeout, right: GivenTimeout) -> Bool {
            left.interval.bitPattern == right.interval.bitPattern
        }

        func hash(into hasher: inout Hasher) { hasher.combine(interval.bitPattern) }
    }
}

extension Request.Configuration {
    @available(*, deprecated, message: "the label is 'appendTrailingSlashToPath'")
    public init(
        allowsCellularAccess: Bool = true,
        cachePolicy: URLRequest.CachePolicy = .useProtocolCachePolicy,
        httpShouldUsePipelining: Bool = false,
        networkServiceType: URLRequest.NetworkServiceType = .default,
        timeoutInterval: TimeInterval? = nil,
        httpShouldHandleCookies: Bool = true,
        allowsConstrainedNetworkAccess: Bool = true,
        allowsExpensiveNetworkAccess: Bool = true,
        parseHTTPStatusErrors: Bool = false,
        appendTraillingSlashToPath: Bool
    ) {
        self.init(
            allowsCellularAccess: allowsCellularAccess, cachePolicy: cachePolicy,
            httpShouldUsePipelining: httpShouldUsePipelining, networkServiceType: networkServiceType,
            timeoutInterval: timeoutInterval, httpShouldHandleCookies: httpShouldHandleCookies,
            allowsConstrainedNetworkAccess: allowsConstrainedNetworkAccess,
            allowsExpensiveNetworkAccess: allowsExpensiveNetworkAccess,
            parseHTTPStatusErrors: parseHTTPStatusErrors, appendTrailingSlashToPath: appendTraillingSlashToPath)
    }

    @available(*, deprecated, renamed: "appendTrailingSlashToPath")
    public var appendTraillingSlashToPath: Bool {
        get { appendTrailingSlashToPath }
        set { appendTrailingSlashToPath = newValue }
    }
}
