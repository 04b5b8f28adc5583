// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import StrataCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The names of OpenTelemetry's semantic conventions for HTTP clients that are used here. Names of our own begin with `strata.`;
/// `scripts/semantic-conventions` compares the others with the published registry.
enum SemanticConventions {
    /// Attributes of spans and metrics.
    enum Attribute {
        static let errorType = "error.type"
        static let requestMethod = "http.request.method"
        static let requestMethodOriginal = "http.request.method_original"
        static let resendCount = "http.request.resend_count"
        static let statusCode = "http.response.status_code"
        static let connectionState = "http.connection.state"
        static let protocolVersion = "network.protocol.version"
        static let peerAddress = "network.peer.address"
        static let serverAddress = "server.address"
        static let serverPort = "server.port"
        static let urlFull = "url.full"
        static let urlTemplate = "url.template"

        static let retryReason = "strata.retry.reason"
        static let cacheAnswer = "strata.cache.answer"
        static let circuitState = "strata.circuit.state"
        static let closeReason = "strata.connection.close_reason"
    }

    enum Metric {
        static let requestDuration = "http.client.request.duration"
        static let requestBodySize = "http.client.request.body.size"
        static let responseBodySize = "http.client.response.body.size"
        static let activeRequests = "http.client.active_requests"
        static let openConnections = "http.client.open_connections"
        static let connectionDuration = "http.client.connection.duration"

        static let attempts = "strata.client.attempts"
        static let retries = "strata.client.retries"
        static let cacheAnswers = "strata.client.cache.answers"
        static let circuitStates = "strata.circuit.states"
        static let connectionWaits = "strata.client.connection.waits"
        static let connectionsClosed = "strata.client.connections.closed"
    }

    /// The methods of RFC 9110 §9.3 and RFC 5789, and QUERY; or those that the environment lists in
    /// `OTEL_INSTRUMENTATION_HTTP_KNOWN_METHODS`. No others: each value of an attribute costs memory.
    static let knownMethods = methods(
        listedIn: ProcessInfo.processInfo.environment["OTEL_INSTRUMENTATION_HTTP_KNOWN_METHODS"])

    static func methods(listedIn list: String?) -> Set<String> {
        let names = list?.split { $0 == "," || $0.isWhitespace }.map(String.init) ?? []
        if !names.isEmpty { return Set(names) }
        return ["CONNECT", "DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT", "TRACE", "QUERY"]
    }

    /// A known method, or `_OTHER`.
    static func method(_ method: HTTPMethod) -> String {
        knownMethods.contains(method.rawValue) ? method.rawValue : "_OTHER"
    }

    /// `1.1`, `2`, `3`: of `HTTP/1.1` and so on.
    static func protocolVersion(_ name: String?) -> String? {
        name.map { $0.hasPrefix("HTTP/") ? String($0.dropFirst(5)) : $0 }
    }
}
