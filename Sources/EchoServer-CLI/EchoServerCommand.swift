// SPDX-License-Identifier: Apache-2.0

public import ArgumentParser
public import EchoServer
import Foundation
public import Logging

@main
struct EchoServerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: EchoSettings.commandName,
        abstract: "An HTTP server that answers with what it was asked: httpbin's routes, event streams, faults.",
        discussion: "Options win over environment variables. GET / lists the routes.")

    @Option(help: "Address to listen on. [env: \(EchoSettings.Environment.host)]")
    var host: String?

    @Option(help: "Port to listen on, 0 for a free one. [env: \(EchoSettings.Environment.port)]")
    var port: Int?

    @Flag(help: "Serve HTTPS with a certificate made for this run. [env: \(EchoSettings.Environment.tls)=1]")
    var tls = false

    @Flag(
        help: "Serve HTTP/2: by ALPN with TLS, by prior knowledge without. [env: \(EchoSettings.Environment.http2)=1]")
    var http2 = false

    @Option(help: "What is wrong with the certificate, if anything.")
    var certificate: TestCertificateAuthority.ServerCertificate = .valid

    @Flag(help: "Refuse clients without a certificate of the authority.")
    var requireClientCertificate = false

    @Option(
        help:
            "Write the authority's certificate (PEM) here. [env: \(EchoSettings.Environment.certificateAuthorityFile)]")
    var caFile: String?

    @Option(help: "Write a client certificate and its key (PEM, one file) here.")
    var clientCertificateFile: String?

    @Option(help: "trace, debug, info, notice, warning, error or critical. [env: \(EchoSettings.Environment.logLevel)]")
    var logLevel: Logger.Level?

    func run() async throws {
        let server = try await EchoServer.start(try serverConfiguration(ProcessInfo.processInfo.environment))
        try writeCertificates(of: server, environment: ProcessInfo.processInfo.environment)
        // Not `print`: a supervisor that reads a pipe must see the line at once.
        FileHandle.standardOutput.write(Data((server.url + "\n").utf8))
        await Signals.wait(for: [SIGTERM, SIGINT])
        await server.stop()
    }

    /// What the options and the environment amount to.
    func serverConfiguration(_ environment: [String: String]) throws -> EchoServer.Configuration {
        var configuration = EchoServer.Configuration(
            host: host ?? environment[EchoSettings.Environment.host] ?? EchoSettings.defaultHost,
            port: try port ?? number(EchoSettings.Environment.port, in: environment) ?? EchoSettings.defaultPort,
            http2: http2 || isSet(EchoSettings.Environment.http2, in: environment))
        if tls || isSet(EchoSettings.Environment.tls, in: environment) {
            configuration.tls = EchoServer.TLS(
                certificate: certificate, requiresClientCertificate: requireClientCertificate)
        }
        if let level = logLevel
            ?? environment[EchoSettings.Environment.logLevel].flatMap({ Logger.Level(rawValue: $0) })
        {
            configuration.logLevel = level
        }
        return configuration
    }

    private func writeCertificates(of server: EchoServer, environment: [String: String]) throws {
        guard let authority = server.certificateAuthority else { return }
        if let path = caFile ?? environment[EchoSettings.Environment.certificateAuthorityFile] {
            try authority.certificatePEM.write(toFile: path, atomically: true, encoding: .utf8)
        }
        if let clientCertificateFile {
            let identity = try authority.issueClient()
            try (identity.certificatePEM + "\n" + identity.privateKeyPEM + "\n")
                .write(toFile: clientCertificateFile, atomically: true, encoding: .utf8)
        }
    }

    private func number(_ name: String, in environment: [String: String]) throws -> Int? {
        guard let text = environment[name], !text.isEmpty else { return nil }
        guard let number = Int(text) else { throw ValidationError("\(name) is not a number: \(text)") }
        return number
    }

    private func isSet(_ name: String, in environment: [String: String]) -> Bool {
        ["1", "true", "yes"].contains(environment[name]?.lowercased() ?? "")
    }
}

extension Logger.Level: @retroactive ExpressibleByArgument {}
extension TestCertificateAuthority.ServerCertificate: ExpressibleByArgument {}
