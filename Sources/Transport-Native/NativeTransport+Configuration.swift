// SPDX-License-Identifier: Apache-2.0

public import StrataTransportSupport

extension NativeTransport {
    public typealias TLS = TLSSettings
    public typealias ProxyPolicy = StrataTransportSupport.ProxyPolicy
    public typealias AddressOverride = StrataTransportSupport.AddressOverride
    public typealias AddressFamily = StrataTransportSupport.AddressFamily

    /// What a ``NativeTransport`` is made with. The defaults are right for most programs.
    public struct Configuration: Sendable {
        public var tls = TLS()
        /// Default: what the environment says (`http_proxy`, `https_proxy`, `all_proxy`, `no_proxy`).
        public var proxy = ProxyPolicy.environment
        /// TLS with a proxy whose URL is `https`. ``tls`` is about the servers behind it.
        public var proxyTLS = TLS()
        /// A Unix domain socket to connect to, instead of the URL's host and port or a proxy. `Host` and the target still come from the
        /// URL.
        public var unixSocketPath: String?
        /// Addresses for host names, asked before the resolver.
        public var addressOverrides: [AddressOverride] = []
        /// How long the addresses of a name are used again. Default: 60 seconds. `nil`: for ever. What is known belongs to a loop.
        public var dnsCacheTime: Duration? = .seconds(60)
        /// The interface or address that connections go out from. `nil`: the system chooses.
        public var localInterface: String?
        /// Default: whatever answers first (RFC 8305).
        public var addressFamily = AddressFamily.any
        /// Connections open at one time in each loop; further requests wait for one, the oldest first. 0 (default): no limit.
        ///
        /// The wait counts against the `connect` timeout. An idle connection to another host is closed for a request that waits.
        public var maximumConnections = 0
        /// The same, for one host and port. Requests to `http` through an HTTP proxy share connections to that, and count as its own. 0
        /// (default): no limit.
        public var maximumConnectionsPerHost = 0
        /// How long a connection is kept open that nothing is sent on. Default: 90 seconds. `nil`: until the server closes it.
        ///
        /// A server that announces a shorter time (`Keep-Alive: timeout=5`) is believed: its connection is closed a little
        /// earlier than that, so that no request meets the server's close.
        public var idleConnectionTimeout: Duration? = .seconds(90)
        /// How long after it was opened a connection gets no further request: for servers behind a balancer that changes. Default: `nil`,
        /// no limit.
        public var maximumConnectionAge: Duration?
        /// How many connections each loop keeps open that nothing is sent on. Default: 100. What is above is closed within a
        /// second, the longest idle first. `nil`: no limit but that of the process's descriptors.
        public var maximumIdleConnections: Int? = 100
        /// After how much silence the system asks the other end of a connection for a sign of life (TCP keep-alive), and how
        /// long it waits before it asks again. Default: 15 seconds. A connection ends, with `connectionLost`, when nine in a row
        /// are not answered. Whole seconds, at least one. `nil`: never.
        public var tcpKeepAlive: Duration? = .seconds(15)
        /// How long what was sent may stay unacknowledged before the system gives the connection up (RFC 5482, `TCP_USER_TIMEOUT`). Default:
        /// `nil`, what the system does by itself. Linux alone.
        public var tcpUserTimeout: Duration?
        /// A file to which the secrets of TLS connections are appended, for Wireshark and its kin, in the format of `SSLKEYLOGFILE`.
        /// **Who can read it can read all that is sent.** Default: `nil`. It gets the mode 0600.
        public var tlsKeyLogFile: String?
        /// Whether gzip, deflate and, where they are installed, br and zstd are asked for and decoded. Default: yes.
        ///
        /// A request that sets `Accept-Encoding` itself, or asks for a `Range`, gets its body as it comes.
        public var decodesContent = true
        /// How many threads carry exchanges: 1 (default) up to the number of cores; 64 at most. An origin stays with one thread, so
        /// that its connections are reused.
        public var loops = 1
        /// Bytes of one response body that wait for a slow reader before the sender is slowed down. Default: 256 KiB. Less than 1
        /// counts as 1.
        public var highWaterMark = 256 * 1024
        /// The largest response head, interim heads and trailers included. Default: 256 KiB.
        public var maximumHeadBytes = 256 * 1024
        /// For tests, which cannot wait so long.
        package var pings = HTTP2Pings()

        public init() {}
    }
}
