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

    func validate() throws {
        if let port, !(0...65535).contains(port) { throw ValidationError("--port is not a number in 0...65535") }
    }

    func run() async throws {
        // A composition passes on what is not set as an empty variable.
        let variables = ProcessInfo.processInfo.environment.filter { !$0.value.isEmpty }.merging(options) { $1 }
        var configuration = try EchoServer.Configuration(environment: variables)
        if configuration.tls == nil,
            certificate != .valid || requireClientCertificate || clientCertificateFile != nil || caFile != nil
        {
            throw ValidationError("there are no certificates without --tls")
        }
        configuration.tls?.certificate = certificate
        configuration.tls?.requiresClientCertificate = requireClientCertificate
        let server = try await EchoServer.start(configuration)
        try writeCertificates(of: server, authorityFile: variables[EchoSettings.Environment.certificateAuthorityFile])
        // Not `print`: a supervisor that reads a pipe must see the line at once.
        FileHandle.standardOutput.write(Data((server.url + "\n").utf8))
        await Signals.wait(for: [SIGTERM, SIGINT])
        await server.stop()
    }

    /// The options given, by the names of the variables that they win over.
    private var options: [String: String] {
        typealias Variable = EchoSettings.Environment
        let values: [String: String?] = [
            Variable.host: host, Variable.port: port.map { String($0) }, Variable.tls: tls ? "1" : nil,
            Variable.http2: http2 ? "1" : nil, Variable.certificateAuthorityFile: caFile,
            Variable.logLevel: logLevel?.rawValue,
        ]
        return values.compactMapValues { $0 }
    }

    private func writeCertificates(of server: EchoServer, authorityFile: String?) throws {
        guard let authority = server.certificateAuthority else { return }
        if let authorityFile {
            try authority.certificatePEM.write(toFile: authorityFile, atomically: true, encoding: .utf8)
        }
        if let clientCertificateFile {
            let identity = try authority.issueClient()
            try (identity.certificatePEM + "\n" + identity.privateKeyPEM + "\n")
                .write(toFile: clientCertificateFile, atomically: true, encoding: .utf8)
        }
    }
}

extension Logger.Level: @retroactive ExpressibleByArgument {}
extension TestCertificateAuthority.ServerCertificate: ExpressibleByArgument {}
