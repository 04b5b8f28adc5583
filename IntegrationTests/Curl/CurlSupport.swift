// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataCore
import StrataCurl
import Testing

/// A transport of the test's own that ignores the environment's proxies, and is shut down afterwards.
@discardableResult
func withCurl<Result>(
    _ configure: (inout CurlTransport.Configuration) -> Void = { _ in },
    _ body: (CurlTransport) async throws -> Result
) async throws -> Result {
    var configuration = CurlTransport.Configuration()
    configuration.proxy = .none
    configure(&configuration)
    let transport = CurlTransport(configuration: configuration)
    do {
        let result = try await body(transport)
        await transport.shutdown()
        return result
    } catch {
        await transport.shutdown()
        throw error
    }
}

extension CurlTransport {
    /// A request without the client around it, so that nothing but the transport is tested.
    func send(
        _ method: HTTPRequest.Method = .get, _ url: String, _ fields: HTTPFields = [:], body: RequestBody = .empty,
        timeouts: Timeouts = .patient, configure: (inout RequestOptions) -> Void = { _ in }
    ) async throws -> TransportResponse {
        var options = RequestOptions()
        options.timeouts = timeouts
        configure(&options)
        return try await send(
            TransportRequest(method: method, url: url, headerFields: fields, body: body, options: options))
    }

    func text(
        _ method: HTTPRequest.Method = .get, _ url: String, _ fields: HTTPFields = [:], body: RequestBody = .empty,
        timeouts: Timeouts = .patient
    ) async throws -> String {
        let response = try await send(method, url, fields, body: body, timeouts: timeouts)
        return String(decoding: try await response.body.collect(), as: UTF8.self)
    }
}

extension Timeouts {
    /// Only a call that hangs runs into these.
    static let patient = Timeouts(connect: .seconds(60), idle: .seconds(60))
}

extension Error {
    /// The stage of a client error; `nil` for others.
    var stage: NetworkClientError.Code? { (self as? NetworkClientError)?.code }
}

/// Runs `body` and tells how long it took.
func elapsed(_ body: () async throws -> Void) async rethrows -> Duration {
    let start = ContinuousClock.now
    try await body()
    return start.duration(to: .now)
}

/// Pieces from a list, as a body that can be produced again.
func pieces(_ list: [Data]) -> @Sendable () -> AsyncStream<Data> {
    {
        AsyncStream { continuation in
            for piece in list { continuation.yield(piece) }
            continuation.finish()
        }
    }
}

/// `#expect(actual == expected)` where `actual` is awaited: a closure whose only `try` is inside of the macro does not count
/// as one that throws.
func expectEqual<Value: Equatable>(
    _ actual: Value, _ expected: Value, sourceLocation: SourceLocation = #_sourceLocation
) {
    #expect(actual == expected, sourceLocation: sourceLocation)
}
