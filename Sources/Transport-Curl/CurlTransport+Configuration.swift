// SPDX-License-Identifier: Apache-2.0

public import StrataTransportSupport

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension CurlTransport {
    /// What a ``CurlTransport`` is made with. The defaults are right for most programs.
    public struct Configuration: Sendable {
        public var tls = TLS()
        /// Default: what the environment says (`http_proxy`, `https_proxy`, `all_proxy`, `no_proxy`).
        public var proxy = ProxyPolicy.environment
        /// TLS with a proxy whose URL is `https`. ``tls`` is about the servers behind it.
        public var proxyTLS = TLS()
        /// A Unix domain socket to connect to, instead of the URL's host and port or a proxy. `Host` and the target
        /// still come from the URL.
        public var unixSocketPath: String?
        /// Addresses for host names, asked before the resolver.
        public var addressOverrides: [AddressOverride] = []
        /// How long the addresses of a name are used again. Default: 60 seconds. `nil`: for ever. Whole seconds; zero: each connection asks
        /// anew. What is known belongs to a loop.
        public var dnsCacheTime: Duration? = .seconds(60)
        /// The server that is asked for the addresses of names, over HTTPS (RFC 8484), in place of the system. Its own name is the
        /// system's to look up. `tls` is not about it but for the authorities; a URL that is not `https` is refused.
        public var dnsOverHTTPS: URL?
        /// The interface, address or host name that connections go out from. `nil`: the system chooses.
        public var localInterface: String?
        /// Default: whatever answers first (RFC 8305).
        public var addressFamily = AddressFamily.any
        /// Connections open at one time in each loop; further requests wait for one. 0 (default): no limit.
        ///
        /// The wait counts against the `connect` timeout. libcurl has one queue for those that wait, whatever their host.
        public var maximumConnections = 0
        /// The same, for one host and port, each with a queue of its own. 0 (default): no limit.
        ///
        /// With HTTP/2, 1 keeps all requests on one connection. They wait for the first answer, which shows whether the
        /// server speaks HTTP/2, and again when the server allows no more requests at a time. Without the limit they
        /// would open more connections then. Requests to `http` through a proxy count as the proxy's too, and wait in
        /// libcurl's one queue.
        public var maximumConnectionsPerHost = 0
        /// How long a connection is kept open that nothing is sent on. Default: 90 seconds. `nil`: until the server closes it.
        ///
        /// A server that announces a shorter time (`Keep-Alive: timeout=5`) is believed: its connection is closed a little
        /// earlier than that, so that no request meets the server's close.
        public var idleConnectionTimeout: Duration? = .seconds(90)
        /// How long after it was opened a connection gets no further request: for servers behind a balancer that changes. Default: `nil`,
        /// no limit. Whole seconds, at least one.
        public var maximumConnectionAge: Duration?
        /// A file in which libcurl keeps what servers say by `Alt-Svc`: that they can be reached by another host, port or
        /// version of HTTP (RFC 7838). Default: `nil`, the field has no effect. A server's word is taken over TLS alone.
        ///
        /// libcurl remembers it for each handle by itself, and cannot share it: it counts for the handle that has heard it, and for those
        /// that read the file after that handle has ended. Requests that are under way at the same time have handles of their own, so
        /// that another may still go to the first server.
        public var alternativeServicesFile: String?
        /// A file to which the secrets of TLS connections are appended, for Wireshark and its kin, in the format of `SSLKEYLOGFILE`.
        /// **Who can read it can read all that is sent.** Default: `nil`. It gets the mode 0600. Needs OpenSSL, on Linux.
        public var tlsKeyLogFile: String?
        /// How many connections each loop keeps open that nothing is sent on. Default: 100. What is above is closed within a
        /// second, the longest idle first. `nil`: no limit but that of the process's descriptors.
        public var maximumIdleConnections: Int? = 100
        /// After how much silence the system asks the other end of a connection for a sign of life (TCP keep-alive), and how
        /// long it waits before it asks again. Default: 15 seconds. A connection ends, with `connectionLost`, when nine in a row
        /// are not answered. Whole seconds, at least one. `nil`: never.
        ///
        /// It shows that the other end's system is gone, and keeps address translators on the way from forgetting a connection. A
        /// server that is there and does not answer is noticed by the timeout `idle` alone.
        public var tcpKeepAlive: Duration? = .seconds(15)
        /// Whether gzip, deflate and, where they are installed, br and zstd are asked for and decoded. Default: yes.
        ///
        /// A request that sets `Accept-Encoding` itself, or asks for a `Range`, gets its body as it comes.
        public var decodesContent = true
        /// How many threads carry transfers: 1 (default) up to the number of cores; 64 at most. There are as many again
        /// for event streams, and for requests to `https` that must be sent by HTTP/1.1. An origin stays with one
        /// thread of each kind, so that its connections are reused.
        public var loops = 1
        /// Bytes of one response body that wait for a slow reader before the sender is slowed down. Default: 256 KiB. Less than 1
        /// counts as 1.
        ///
        /// When other responses come over the same HTTP/2 connection, libcurl takes in more of a body by itself, up to
        /// a window of 32 MB. For large downloads that are read slowly, ask for HTTP/1.1.
        public var highWaterMark = 256 * 1024
        /// Bytes that wait in a loop for the readers of all its bodies, when these are paused. Default: 256 MiB. A body that would
        /// go beyond fails with `bodyTooLarge`. Only HTTP/2 comes so far; see ``highWaterMark``.
        public var maximumUnreadBytes = 256 << 20
        /// The largest response head, interim heads and trailers included. Default: 256 KiB. libcurl itself takes no more than
        /// 300 KiB.
        public var maximumHeadBytes = 256 * 1024
        /// What libcurl reads at once from a socket. Default: 64 KiB; event streams use 16 KiB at most.
        public var receiveBuffer = 64 * 1024

        public init() {}
    }

    public typealias TLS = TLSSettings
    public typealias ProxyPolicy = StrataTransportSupport.ProxyPolicy
    public typealias AddressOverride = StrataTransportSupport.AddressOverride
    public typealias AddressFamily = StrataTransportSupport.AddressFamily
}
