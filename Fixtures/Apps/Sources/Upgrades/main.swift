// SPDX-License-Identifier: Apache-2.0

import StrataAuthentication
import StrataCore
import StrataCurl
import StrataEncoding
import StrataMiddleware
import StrataRequests
import StrataRest
import StrataStreaming
import StrataTesting

// What a user may write today and goes on compiling when an enum has another case. Where an enum were not nonexhaustive,
// `@unknown default` would be a warning, and warnings are errors here.

func name(_ policy: HTTPVersionPolicy) -> String {
    switch policy {
    case .automatic: "automatic"
    case .http1: "http1"
    case .http2PriorKnowledge: "http2"
    case .http3: "http3"
    @unknown default: "newer"
    }
}

func name(_ reason: ExchangeRecord.Reason) -> String {
    switch reason {
    case .first: "first"
    case .retry(let cause, _): "retry after \(cause)"
    case .redirect(let status, _): "redirect \(status)"
    case .refresh: "refresh"
    case .other(let text): text
    @unknown default: "newer"
    }
}

func name(_ kind: Timeouts.Kind) -> String {
    switch kind {
    case .connect, .idle, .attempt, .deadline: kind.rawValue
    @unknown default: "newer"
    }
}

func name(_ trust: CurlTransport.TLS.Trust) -> String {
    switch trust {
    case .system: "system"
    case .file(let path): path
    case .pem: "pem"
    @unknown default: "newer"
    }
}

func name(_ version: CurlTransport.TLS.Version) -> String {
    switch version {
    case .v1_2, .v1_3: "\(version)"
    @unknown default: "newer"
    }
}

func name(_ family: CurlTransport.AddressFamily) -> String {
    switch family {
    case .any, .ipv4, .ipv6: "\(family)"
    @unknown default: "newer"
    }
}

func name(_ delivery: ResponseDelivery) -> String {
    switch delivery {
    case .automatic, .collected, .eventStream: "\(delivery)"
    @unknown default: "newer"
    }
}

func name(_ authentication: OAuthTokenEndpoint.ClientAuthentication) -> String {
    switch authentication {
    case .basic, .body: "\(authentication)"
    @unknown default: "newer"
    }
}

func isTransient(_ error: RestQueryError) -> Bool {
    switch error {
    case .url, .cancelled: true
    case .urlValidation, .urlResponse, .statusCode, .bearer, .decode, .encode, .other: false
    @unknown default: false
    }
}

/// A client around a client: three requirements.
struct TaggedClient: NetworkClientProtocol {
    let inner: any NetworkClientProtocol

    init(around inner: any NetworkClientProtocol) { self.inner = inner }
    init(configuration: NetworkConfiguration) { inner = NetworkClient(configuration: configuration) }

    var configuration: NetworkConfiguration { inner.configuration }

    func execute(_ request: TransportRequest) async throws -> TransportResponse {
        var request = request
        request.head.headerFields[.userAgent] = "Tagged/1"
        return try await inner.execute(request)
    }
}

let transport = ScriptedTransport(.text("one\ntwo"))
let client = TaggedClient(around: NetworkClient(configuration: NetworkConfiguration(transport: transport)))
let request = NetworkRequest<VoidRequest, String>(path: "https://api.example/lines", method: .get)
var lines: [String] = []
for try await line in try await client.lines(for: request) { lines.append(line) }
let record = try await client.run(request).exchange
precondition(lines == ["one", "two"] && transport.requests.allSatisfy { $0["user-agent"] == "Tagged/1" })
print("a client around a client: \(record.attempts.map { name($0.reason) })")
print(
    name(HTTPVersionPolicy.automatic), name(.connect), name(.system), name(.v1_2), name(.any),
    name(ResponseDelivery.collected), name(.basic))
