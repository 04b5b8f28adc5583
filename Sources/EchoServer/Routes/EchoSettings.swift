// SPDX-License-Identifier: Apache-2.0

/// The values that the command, the container files and the tests must agree on.
package enum EchoSettings {
    package static let defaultHost = "127.0.0.1"
    package static let defaultPort = 8080
    /// The name of the command, of its product and of its file in the container.
    package static let commandName = "echo-server"
    /// Answers 200 as soon as the server accepts requests; the container's health check asks here.
    package static let healthPath = "/healthz"
    /// What switches TLS or HTTP/2 on in its variable, in upper or lower case.
    package static let switchedOn: Set = ["1", "true", "yes"]

    /// Environment variables that the `echo-server` command reads. An option on the command line wins.
    package enum Environment {
        package static let host = "ECHO_HOST"
        package static let port = "ECHO_PORT"
        package static let tls = "ECHO_TLS"
        package static let http2 = "ECHO_HTTP2"
        package static let certificateAuthorityFile = "ECHO_CA_FILE"
        package static let logLevel = "ECHO_LOG_LEVEL"
    }

    /// Environment variables by which the integration tests use a server that already runs.
    package enum TestEnvironment {
        /// Base URL of a running echo server. Unset: the tests start one in their own process.
        package static let echoURL = "STRATA_ECHO_URL"
        /// Base URL of a running httpbin. Unset: the tests that compare with it are skipped.
        package static let httpbinURL = "STRATA_HTTPBIN_URL"
        /// URL of a running nginx with the configuration of `IntegrationTests/Peers/Servers`. Unset: the tests start one.
        package static let nginxURL = "STRATA_NGINX_URL"
        /// The same for an HTTP proxy.
        package static let proxyURL = "STRATA_PROXY_URL"
        /// The same for an HTTP proxy whose next port speaks TLS.
        package static let tlsProxyURL = "STRATA_TLS_PROXY_URL"
        /// The same for a SOCKS5 proxy.
        package static let socksURL = "STRATA_SOCKS_URL"
        /// The folder in which these running servers have theirs, and their certificates.
        package static let peersFolder = "STRATA_PEERS_FOLDER"
    }
}
