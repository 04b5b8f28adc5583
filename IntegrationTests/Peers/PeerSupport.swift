// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataCore
import StrataCurl
import StrataURLSession
import Testing

extension Trait where Self == ConditionTrait {
    /// Skips, by name and with the reason, where a tool is not installed.
    static func peers(_ tools: PeerTool...) -> Self {
        let missing = tools.filter { !$0.isAvailable }.map(\.rawValue).joined(separator: ", ")
        return .enabled(if: missing.isEmpty, "\(missing) is not installed; scripts/test-peers installs it")
    }
}

/// Sends a request by libcurl that has to fail, and returns the failure.
func failure(
    of url: String, _ configure: (inout CurlTransport.Configuration) -> Void,
    sourceLocation: SourceLocation = #_sourceLocation
) async throws -> NetworkClientError {
    try await withCurl(configure) { transport in
        let error = await #expect(throws: NetworkClientError.self, sourceLocation: sourceLocation) {
            try await transport.text(.get, url)
        }
        return try #require(error, sourceLocation: sourceLocation)
    }
}

/// Sends a request by libcurl, and returns the response's text.
func text(of url: String, _ configure: (inout CurlTransport.Configuration) -> Void) async throws -> String {
    try await withCurl(configure) { try await $0.text(.get, url) }
}
