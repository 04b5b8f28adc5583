// SPDX-License-Identifier: Apache-2.0

import EchoServer
import Foundation

/// The echo server that tests talk to: the one that `STRATA_ECHO_URL` names, else one in this process.
struct EchoTarget {
    /// Scheme, host and port, without a slash at the end.
    let url: String

    /// Host and port.
    var authority: String { url.split(separator: "/").last.map(String.init) ?? url }

    /// Calls `body` with the server that runs already, or with one that runs for the time of `body`.
    @discardableResult
    static func withServer<Result>(_ body: (EchoTarget) async throws -> Result) async throws -> Result {
        if let url = ProcessInfo.processInfo.environment[EchoSettings.TestEnvironment.echoURL], !url.isEmpty {
            return try await body(EchoTarget(url: url.hasSuffix("/") ? String(url.dropLast()) : url))
        }
        return try await EchoServer.withServer { try await body(EchoTarget(url: $0.url)) }
    }
}
