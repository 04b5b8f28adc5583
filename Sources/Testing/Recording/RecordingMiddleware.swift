// SPDX-License-Identifier: Apache-2.0

public import StrataCore

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Writes every exchange to a cassette: a HAR 1.2 file that ``CassetteTransport`` replays, and that opens in the developer tools of
/// browsers.
///
///     configuration.middleware.append(try RecordingMiddleware(to: URL(filePath: "issues.har")))
///
/// An exchange is written when its body has been read to the end, has failed or was given up, as are exchanges that fail or are
/// cancelled; then the file is whole again, and what is in it stays there when the process dies. Of a body that is still being read
/// then there is nothing: ``CassetteRecorder/finish()`` writes it as far as it has come. Entries are added to those that are there.
/// Bodies are copied as they pass, with the time of each piece, and nothing is held back. Secrets are masked as they are in logs;
/// cookies keep their names, and `Set-Cookie` its attributes. A body in which the search would miss secrets, such as that of a
/// multipart form, is left out, and its size written.
/// A failure to write does not disturb the exchange: ``CassetteRecorder/finish()`` throws it.
///
/// Place: innermost, so that it sees what the transport does.
public struct RecordingMiddleware: NetworkMiddleware {
    public let recorder: CassetteRecorder

    public init(_ recorder: CassetteRecorder) { self.recorder = recorder }

    /// - Throws: ``CassetteError`` when the file cannot be made, or is no HAR file.
    public init(to file: URL, options: RecordingOptions = RecordingOptions()) throws {
        recorder = try CassetteRecorder(file, options: options)
    }

    @_documentation(visibility: internal)
    public var placement: MiddlewarePlacement {
        MiddlewarePlacement(
            role: .recording,
            rules: [
                .innermost(because: "what the layer inside of it changes, repeats or answers would not be recorded")
            ])
    }

    @_documentation(visibility: internal)
    public func intercept(_ request: TransportRequest, next: Next) async throws -> TransportResponse {
        let recording = ExchangeRecording(recorder, request)
        do {
            var response = try await next(recording.watched(request))
            recording.watch(&response)
            return response
        } catch {
            recording.fail(error)
            throw error
        }
    }
}

/// A transport that records what another one does; for those who have no list of middleware at hand.
public struct RecordingTransport: NetworkTransport {
    public let recorder: CassetteRecorder
    private let transport: any NetworkTransport

    public init(_ transport: any NetworkTransport, to recorder: CassetteRecorder) {
        self.transport = transport
        self.recorder = recorder
    }

    public var capabilities: TransportCapabilities { transport.capabilities }

    @_documentation(visibility: internal)
    public func send(_ request: TransportRequest) async throws -> TransportResponse {
        let recording = ExchangeRecording(recorder, request)
        do {
            var response = try await transport.send(recording.watched(request))
            recording.watch(&response)
            return response
        } catch {
            recording.fail(error)
            throw error
        }
    }

    public func shutdown() async { await transport.shutdown() }

    public func drain(within limit: Duration) async { await transport.drain(within: limit) }
}
