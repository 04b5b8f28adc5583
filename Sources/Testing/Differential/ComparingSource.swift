// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import StrataCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The first body on its way to the caller, with the second pulled beside it and compared.
final class ComparingSource: BodySource, @unchecked Sendable {
    // Unchecked because of the state below, which `next` alone touches, and that has one caller at a time.
    private enum Other {
        case goesOn
        /// The second has failed and the first has not, yet. How much arrives before a failure depends on buffers.
        case failed(any Error)
        /// The difference is reported.
        case settled
    }

    /// When the first has failed, how many bytes of the second are read to find out how it ends, and for how long in
    /// addition to its delay.
    private static let drainLimit = 16 << 20
    private static let drainTime = Duration.milliseconds(500)

    private let first: any BodySource
    private let second: ResponseBody
    private let response: TransportResponse
    private let report: DifferentialReport
    /// How much later than the first the second had its head.
    private let delay: Duration
    private let clock: any NetworkClock
    private var iterator: ResponseBody.AsyncIterator
    private var other = Other.goesOn
    /// What the second has delivered and the first has not.
    private var ahead = Data()
    private var offset: Int64 = 0

    init(
        _ first: any BodySource, _ second: TransportResponse, _ report: DifferentialReport, delay: Duration,
        clock: any NetworkClock
    ) {
        self.first = first
        self.second = second.body
        response = second
        self.report = report
        self.delay = delay
        self.clock = clock
        iterator = second.body.makeAsyncIterator()
    }

    func next() async throws -> Data? {
        let piece: Data?
        do {
            piece = try await first.next()
        } catch {
            if !(error is CancellationError) { try await compareFailure(error) }
            throw error
        }
        if let piece { try await compare(piece) } else { try await compareEnd() }
        return piece
    }

    var trailers: HTTPFields? { first.trailers }

    func cancel() {
        first.cancel()
        second.cancel()
    }

    private func compare(_ piece: Data) async throws {
        var piece = piece
        while case .goesOn = other, !piece.isEmpty {
            if ahead.isEmpty {
                do {
                    guard let more = try await iterator.next() else {
                        return settle("more than \(offset) bytes", "\(offset) bytes")
                    }
                    ahead = more
                } catch {
                    try rethrowCancellation(error)
                    return other = .failed(error)
                }
            }
            let count = min(piece.count, ahead.count)
            if piece.prefix(count) != ahead.prefix(count) {
                let same = zip(piece, ahead).prefix { $0 == $1 }.count
                return settle("differs at byte \(offset + Int64(same))", "differs there")
            }
            offset += Int64(count)
            // Slices: a copy of the rest for each piece of the other would be quadratic.
            piece = piece.dropFirst(count)
            ahead = ahead.dropFirst(count)
        }
    }

    /// The first body is complete.
    private func compareEnd() async throws {
        switch other {
        case .settled: return
        case .failed(let error): return settle("a whole body", DifferentialReport.name(of: error))
        case .goesOn: break
        }
        do {
            let isAtEnd = ahead.isEmpty ? try await iterator.next() == nil : false
            if !isAtEnd { return settle("\(offset) bytes", "more than \(offset) bytes") }
            report.compare(trailers: first.trailers?.asTrailers, try await response.trailers)
            other = .settled
        } catch {
            try rethrowCancellation(error)
            settle("a whole body", DifferentialReport.name(of: error))
        }
    }

    /// The first body has failed.
    private func compareFailure(_ failure: any Error) async throws {
        defer { other = .settled }
        switch other {
        case .settled: return
        case .failed(let error): return report.compare(failure, error, as: .body)
        case .goesOn: break
        }
        let limit = Task { [second, delay, clock] in
            try await clock.sleep(for: delay + Self.drainTime)
            second.cancel()
        }
        defer { limit.cancel() }
        do {
            var rest = Self.drainLimit
            while rest > 0 {
                guard let piece = try await iterator.next() else {
                    return settle(DifferentialReport.name(of: failure), "a whole body")
                }
                rest -= piece.count
            }
        } catch {
            try rethrowCancellation(error)
            // A cancel that is not the task's is the limit's.
            guard error is CancellationError else { return report.compare(failure, error, as: .body) }
        }
        settle(DifferentialReport.name(of: failure), "a body that goes on")
    }

    private func settle(_ one: String, _ two: String) {
        report.add(.body, one, two)
        other = .settled
        ahead = Data()
        second.cancel()
    }

    private func rethrowCancellation(_ error: any Error) throws {
        if error is CancellationError, Task.isCancelled { throw error }
    }
}
