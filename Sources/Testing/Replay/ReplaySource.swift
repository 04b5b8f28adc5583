// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import StrataCore
import Synchronization

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Hands out the pieces of a recorded body, each at its time.
final class ReplaySource: BodySource {
    private struct State {
        var next = 0
        var offset = 0
        var file: FileBodySource?
        var waiting: Task<Void, any Error>?
        var isCancelled = false
        var ending: Result<Void, any Error>?
    }

    private let plan: ReplayPlan
    private let time: ReplayTime
    private let exchange: ExchangeTime
    private let state = Mutex(State())

    init(_ plan: ReplayPlan, _ time: ReplayTime, _ exchange: ExchangeTime) {
        self.plan = plan
        self.time = time
        self.exchange = exchange
    }

    func next() async throws -> Data? {
        if let ending = state.withLock(\.ending) {
            try ending.get()
            return nil
        }
        do {
            guard let piece = state.withLock({ $0.next < plan.pieces.count ? plan.pieces[$0.next] : nil }) else {
                try await finish()
                state.withLock { $0.ending = .success(()) }
                return nil
            }
            try await wait { [exchange, time] in try await exchange.wait(until: time(piece.time)) }
            return try take(piece)
        } catch {
            if !(error is CancellationError) { state.withLock { $0.ending = .failure(error) } }
            throw error
        }
    }

    /// The fields behind the body.
    var trailers: HTTPFields? { plan.trailers }

    func cancel() {
        let waiting = state.withLock { state in
            state.isCancelled = true
            state.file?.cancel()
            return state.waiting
        }
        waiting?.cancel()
    }

    private func finish() async throws {
        switch plan.ending {
        case .complete: try await wait { [exchange, time, plan] in try await exchange.wait(until: time(plan.end)) }
        case .failure(let error):
            try await wait { [exchange, time, plan] in try await exchange.wait(until: time(plan.end)) }
            throw error
        case .stall(let reason): try await wait { [exchange] in try await exchange.waitForEver(reason) }
        }
    }

    private func take(_ piece: Cassette.Piece) throws -> Data {
        try state.withLock { state in
            defer { state.offset += piece.count }
            if case .data(let data) = plan.body {
                state.next += 1
                let start = data.startIndex + state.offset
                return Data(data[start..<start + piece.count])
            }
            return try Self.read(piece, of: plan.body, &state)
        }
    }

    /// A piece of a file; in parts where it is large.
    private static func read(_ piece: Cassette.Piece, of body: ReplayPlan.Body, _ state: inout State) throws -> Data {
        guard case .file(let path, let count) = body else { return Data() }
        do {
            let file = try state.file ?? FileBodySource(path: path, offset: 0, length: count)
            state.file = file
            var data = Data(count: piece.count)
            var filled = 0
            while filled < piece.count {
                let read = try data.withUnsafeMutableBytes { bytes in
                    try file.read(into: UnsafeMutableRawBufferPointer(rebasing: bytes[filled...]))
                }
                guard read > 0 else {
                    throw NetworkClientError(.fileFailed, "the file of a recorded body is too short")
                }
                filled += read
            }
            state.next += 1
            return data
        } catch let error as NetworkClientError where error.code != .fileFailed {
            throw NetworkClientError(.fileFailed, "the file of a recorded body cannot be read", cause: error)
        }
    }

    /// A wait that both a cancelled task and ``cancel()`` end.
    private func wait(_ work: @escaping @Sendable () async throws -> Void) async throws {
        let waiting = try state.withLock { state in
            if state.isCancelled || Task.isCancelled { throw CancellationError() }
            let waiting = Task { try await work() }
            state.waiting = waiting
            return waiting
        }
        defer { state.withLock { $0.waiting = nil } }
        try await withTaskCancellationHandler {
            try await waiting.value
        } onCancel: {
            waiting.cancel()
        }
        if state.withLock(\.isCancelled) { throw CancellationError() }
    }
}
