// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A server that somebody else wrote, started as a process of its own on loopback ports.
///
/// It lasts as long as the test's process, and ends with it however that ends: a shell beside it waits for its standard
/// input to close, and clears up.
struct PeerProcess: Sendable {
    /// The folder of its configuration and logs.
    let folder: URL
    let ports: [Int]
    private let shell: Subprocess

    /// Runs a command and waits until something listens on all of its ports.
    ///
    /// - Parameters:
    ///   - count: how many free ports of 127.0.0.1 it is to have.
    ///   - command: made from the ports, the path first; its folder is the current one.
    static func start(ports count: Int = 1, command: (_ ports: [Int]) throws -> [String]) async throws -> PeerProcess {
        // Somebody else may take a port between its choice and its use.
        var failure: any Error = Subprocess.Failure(description: "")
        for _ in 0..<3 {
            let ports = try LoopbackPort.free(count)
            let folder = FileManager.default.temporaryDirectory.appending(path: "strata-peer-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            let script = #"""
                "$@" </dev/null >output.log 2>&1 & child=$!
                read line; kill $child; wait $child; rm -rf "$PWD"
                """#
            let shell = try Subprocess.start(["/bin/sh", "-c", script, "sh"] + command(ports), in: folder)
            let peer = PeerProcess(folder: folder, ports: ports, shell: shell)
            do {
                for port in ports { try await peer.waitUntilListening(on: port) }
                return peer
            } catch {
                peer.stop()
                failure = error
            }
        }
        throw failure
    }

    private func waitUntilListening(on port: Int) async throws {
        for _ in 0..<1200 {
            if LoopbackPort.isListening(port) { return }
            try await Task.sleep(for: .milliseconds(50))
        }
        let output = (try? String(contentsOf: folder.appending(path: "output.log"), encoding: .utf8)) ?? ""
        throw Subprocess.Failure(description: "nothing listens on port \(port): \(output)")
    }

    /// Ends it before its time.
    func stop() { shell.closeInput() }
}

/// The tools that the tests run against, as Debian's packages name and place them.
enum PeerTool: String {
    case nginx, openssl, tinyproxy, squid, microsocks

    var path: String? {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map(String.init)
        return (folders + ["/usr/sbin", "/usr/bin", "/usr/local/sbin", "/usr/local/bin", "/opt/homebrew/bin"])
            .map { "\($0)/\(rawValue)" }.first { FileManager.default.isExecutableFile(atPath: $0) }
    }

    /// Whether there is one, be it running already.
    var isAvailable: Bool { Peer.url(of: self) != nil || path != nil }
}
