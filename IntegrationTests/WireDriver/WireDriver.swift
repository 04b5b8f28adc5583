// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The client as a driver of the wire vectors: a case a line on standard input, its results a line on standard output.
///
///     wire-driver --transport curl|native|urlsession --layer transport|client --heuristics on|off
///
/// `transport` sends each request as it is; `client` stacks redirects, retry, authentication, the event source and the cache as
/// the case's options ask. The cache assumes how long a response is fresh that does not say so, as browsers do, unless
/// `heuristics` are `off`. The protocol is described at the top of `tools/wirerun.py` of the vectors.
@main
struct WireDriver {
    static func main() async throws {
        let arguments = CommandLine.arguments
        func value(of name: String) -> String? {
            arguments.firstIndex(of: name).flatMap { arguments.indices.contains($0 + 1) ? arguments[$0 + 1] : nil }
        }
        guard let kind = WireTransport(rawValue: value(of: "--transport") ?? "curl"),
            let layer = WireLayer(rawValue: value(of: "--layer") ?? "client")
        else {
            FileHandle.standardError.write(
                Data(
                    "usage: WireDriver [--transport curl|native|urlsession] [--layer transport|client] [--heuristics on|off]\n"
                        .utf8))
            exit(2)
        }
        let heuristics = value(of: "--heuristics") != "off"
        let encoder = JSONEncoder()
        while let line = readLine() {
            let answer: WireAnswer
            do {
                let wireCase = try JSONDecoder().decode(WireCase.self, from: Data(line.utf8))
                answer = WireAnswer(
                    id: wireCase.id, results: await wireCase.run(over: kind, at: layer, heuristics: heuristics))
            } catch {
                // Else it would be waited for.
                let id = try? JSONDecoder().decode(WireCase.Name.self, from: Data(line.utf8)).id
                answer = WireAnswer(
                    id: id ?? "", results: [.failure(kind: "other", message: "a case that cannot be read: \(error)")])
            }
            FileHandle.standardOutput.write(try encoder.encode(answer) + Data("\n".utf8))
        }
    }
}

enum WireLayer: String {
    case transport, client
}
