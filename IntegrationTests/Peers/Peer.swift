// SPDX-License-Identifier: Apache-2.0

import EchoServer
import Foundation

/// A server that the tests share: one that runs already, as `docker-compose.yml` has it, or one that is started as it is there.
struct Peer: Sendable {
    /// The server's own.
    let folder: URL
    let ports: [Int]
    /// Kept, for the server ends with it.
    private let process: PeerProcess?

    private static let environment = ProcessInfo.processInfo.environment

    /// Where the servers that run already have their folders, and their certificates.
    static let folder: URL? = environment[EchoSettings.TestEnvironment.peersFolder]
        .flatMap { $0.isEmpty ? nil : URL(fileURLWithPath: $0, isDirectory: true) }

    /// The URL of one that runs already: of its first port, behind which the others follow.
    static func url(of tool: PeerTool) -> URL? {
        let variable =
            switch tool {
            case .nginx: EchoSettings.TestEnvironment.nginxURL
            case .tinyproxy: EchoSettings.TestEnvironment.proxyURL
            case .squid: EchoSettings.TestEnvironment.tlsProxyURL
            case .microsocks: EchoSettings.TestEnvironment.socksURL
            case .openssl: ""
            }
        return environment[variable].flatMap { $0.isEmpty ? nil : URL(string: $0) }
    }

    static func shared(_ tool: PeerTool, ports count: Int = 1) async throws -> Peer {
        if let port = url(of: tool)?.port {
            guard let folder else {
                throw Subprocess.Failure(
                    description: "\(EchoSettings.TestEnvironment.peersFolder) does not say where \(tool) has its files")
            }
            return Peer(
                folder: folder.appending(path: tool.rawValue), ports: Array(port..<port + count), process: nil)
        }
        return try await started(tool.rawValue, ports: count)
    }

    /// One that is started, whatever runs already.
    ///
    /// - Parameter name: of its configuration.
    static func started(_ name: String, ports count: Int = 1) async throws -> Peer {
        let certificates = try PeerCertificates.shared.get().folder.path
        let process = try await PeerProcess.start(ports: count) { ports in
            ["/bin/sh", PeerFiles.path("serve"), name, ".", certificates] + ports.map(String.init)
        }
        return Peer(folder: process.folder, ports: process.ports, process: process)
    }
}

/// The configuration of the servers, and the scripts that make their certificates and start them.
enum PeerFiles {
    static func path(_ name: String) -> String {
        URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "Servers/\(name)").path
    }
}
