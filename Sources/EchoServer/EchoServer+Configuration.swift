// SPDX-License-Identifier: Apache-2.0

package import Logging

extension EchoServer {
    package struct Configuration: Sendable {
        /// The address to listen on.
        package var host: String
        /// `0` finds a free port.
        package var port: Int
        /// `nil` serves plain HTTP.
        package var tls: TLS?
        /// With TLS: HTTP/2 for clients that offer it by ALPN, HTTP/1.1 for others. Without TLS: HTTP/2 alone, for
        /// clients with prior knowledge (RFC 9113 §3.3).
        package var http2: Bool
        /// Default: `.critical`, because Hummingbird logs it as an error when a server is stopped.
        package var logLevel: Logger.Level

        package init(
            host: String = EchoSettings.defaultHost, port: Int = 0, tls: TLS? = nil, http2: Bool = false,
            logLevel: Logger.Level = .critical
        ) {
            self.host = host
            self.port = port
            self.tls = tls
            self.http2 = http2
            self.logLevel = logLevel
        }

        /// What the variables of ``EchoSettings/Environment`` say, except for the authority's file, which the command
        /// writes; without them plain HTTP/1.1 on ``EchoSettings/defaultHost`` and ``EchoSettings/defaultPort``. `1`,
        /// `true` or `yes` switches TLS and HTTP/2 on. A log level that does not exist is ignored; an empty variable
        /// counts as none.
        ///
        /// - Throws: ``EchoServer/InvalidVariable`` when the port is no number in 0...65535.
        package init(environment: [String: String]) throws {
            typealias Variable = EchoSettings.Environment
            let environment = environment.filter { !$0.value.isEmpty }
            func isOn(_ name: String) -> Bool {
                EchoSettings.switchedOn.contains(environment[name]?.lowercased() ?? "")
            }
            self.init(
                host: environment[Variable.host] ?? EchoSettings.defaultHost, port: EchoSettings.defaultPort,
                tls: isOn(Variable.tls) ? EchoServer.TLS() : nil, http2: isOn(Variable.http2))
            if let text = environment[Variable.port] {
                guard let port = UInt16(text) else { throw InvalidVariable(name: Variable.port, value: text) }
                self.port = Int(port)
            }
            if let level = environment[Variable.logLevel].flatMap({ Logger.Level(rawValue: $0) }) { logLevel = level }
        }
    }

    /// An environment variable that does not say what it should.
    package struct InvalidVariable: Error, CustomStringConvertible {
        package let name: String
        package let value: String

        package var description: String { "\(name) is not a number in 0...65535: \(value)" }
    }

    package struct TLS: Sendable {
        package var certificate: TestCertificateAuthority.ServerCertificate
        /// Refuses the handshake of a client without a certificate of ``EchoServer/certificateAuthority``.
        package var requiresClientCertificate: Bool
        /// The highest version spoken is TLS 1.2 when set. Default: TLS 1.3.
        package var isLimitedToTLS12: Bool
        /// Who issues the certificates. `nil` makes an authority for this server alone.
        package var authority: TestCertificateAuthority?

        package init(
            certificate: TestCertificateAuthority.ServerCertificate = .valid, requiresClientCertificate: Bool = false,
            isLimitedToTLS12: Bool = false, authority: TestCertificateAuthority? = nil
        ) {
            self.certificate = certificate
            self.requiresClientCertificate = requiresClientCertificate
            self.isLimitedToTLS12 = isLimitedToTLS12
            self.authority = authority
        }
    }
}
