// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes
package import StrataCore
import Synchronization

/// Sends each request through two transports, answers with what the first brings, and reports every difference.
///
///     let transport = DifferentialTransport(CurlTransport(), URLSessionTransport())
///     let client = NetworkClient(configuration: .init(baseURL: url, transport: transport))
///     …
///     #expect(transport.differences.isEmpty)
///
/// It compares the status, the fields, the body after content decoding, and the code of an error before the head or
/// within the body. The second transport is asked when the first has answered, so that the server gets one request
/// after the other, and should answer both alike. Bodies are compared while the caller reads, in bounded memory; what
/// the caller does not read is not compared. A request body that can be produced only once is collected first, so that
/// it can be sent twice.
///
/// The time of a request's `attempt` and `deadline` runs on while the second transport is asked and the body of the
/// first waits. So give them time for both exchanges, or set no limit.
package final class DifferentialTransport: NetworkTransport {
    /// Fields that differ from answer to answer, or belong to the connection: `Date`, `Age`, `Expires`, `Connection` and
    /// `Keep-Alive`.
    package static let changingFields: Set<HTTPField.Name> = [.date, .age, .expires, .connection, .known("Keep-Alive")]

    /// What both transports can do. A request that needs more fails before anything is sent.
    package let capabilities: TransportCapabilities
    private let first: any NetworkTransport
    private let second: any NetworkTransport
    private let ignored: Set<HTTPField.Name>
    private let clock: any NetworkClock
    private let onDifference: @Sendable (TransportDifference) -> Void

    private struct State {
        var count = 0
        var differences: [TransportDifference] = []
    }

    private let state = Mutex(State())

    /// - Parameters:
    ///   - first: whose answers are returned.
    ///   - second: whose answers are compared with those.
    ///   - ignoredFields: names that are not compared.
    ///   - onDifference: is called with each difference when it is found; they are kept as well.
    package convenience init(
        _ first: any NetworkTransport, _ second: any NetworkTransport,
        ignoring ignoredFields: Set<HTTPField.Name> = changingFields,
        onDifference: @escaping @Sendable (TransportDifference) -> Void = { _ in }
    ) {
        self.init(first, second, ignoring: ignoredFields, clock: SystemClock(), onDifference: onDifference)
    }

    /// - Parameter clock: measures how long a body may go on when the other has failed. It is not the client's, which
    ///   may be virtual.
    init(
        _ first: any NetworkTransport, _ second: any NetworkTransport, ignoring ignoredFields: Set<HTTPField.Name>,
        clock: any NetworkClock, onDifference: @escaping @Sendable (TransportDifference) -> Void
    ) {
        self.first = first
        self.second = second
        ignored = ignoredFields
        self.clock = clock
        self.onDifference = onDifference
        capabilities = TransportCapabilities(
            name: "\(first.capabilities.name) and \(second.capabilities.name)",
            features: first.capabilities.features.intersection(second.capabilities.features),
            remarks: first.capabilities.remarks + second.capabilities.remarks)
    }

    /// Everything found so far.
    package var differences: [TransportDifference] { state.withLock(\.differences) }

    /// How many requests have gone through both.
    package var requestCount: Int { state.withLock(\.count) }

    package func send(_ request: TransportRequest) async throws -> TransportResponse {
        let request = try await replayable(request)
        let number = state.withLock { state in
            state.count += 1
            return state.count
        }
        let report = DifferentialReport(number: number, head: request.head, options: request.options) { [weak self] in
            self?.add($0)
        }
        let one = try await outcome(of: first, request)
        let answered = clock.now
        let other: Result<TransportResponse, any Error>
        do {
            other = try await outcome(of: second, request)
        } catch {
            if case .success(let response) = one { response.body.cancel() }
            throw error
        }
        let delay = clock.now - answered
        switch (one, other) {
        case (.success(var response), .success(let second)):
            report.compare(
                response.head, second.head, ignoring: ignored, isExact: capabilities.features.contains(.exactFields))
            let length = response.body.length
            response.body = response.body.mapSource(length: length) {
                ComparingSource($0, second, report, delay: delay, clock: clock)
            }
            return response
        case (.success(let response), .failure(let error)):
            report.add(.outcome, "status \(response.head.status.code)", DifferentialReport.name(of: error))
            return response
        case (.failure(let error), .success(let response)):
            response.body.cancel()
            report.add(.outcome, DifferentialReport.name(of: error), "status \(response.head.status.code)")
            throw error
        case (.failure(let error), .failure(let second)):
            report.compare(error, second, as: .outcome)
            throw error
        }
    }

    package func shutdown() async {
        await first.shutdown()
        await second.shutdown()
    }

    private func add(_ difference: TransportDifference) {
        state.withLock { $0.differences.append(difference) }
        onDifference(difference)
    }

    /// - Throws: only the cancellation of the task, which is no difference.
    private func outcome(
        of transport: any NetworkTransport, _ request: TransportRequest
    ) async throws -> Result<TransportResponse, any Error> {
        do {
            return .success(try await transport.send(request))
        } catch {
            if error is CancellationError, Task.isCancelled { throw error }
            return .failure(error)
        }
    }

    private func replayable(_ request: TransportRequest) async throws -> TransportRequest {
        guard !request.body.isReplayable else { return request }
        var request = request
        let length = request.body.length
        let whole = try await request.body.collect()
        // As a stream, so that it is framed as it would have been.
        request.body = .stream(length: length, isReplayable: true) { PiecesSource([whole]) }
        return request
    }
}
