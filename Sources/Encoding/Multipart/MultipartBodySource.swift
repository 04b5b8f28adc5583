// SPDX-License-Identifier: Apache-2.0

import StrataCore
import Synchronization

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The parts of a form one after the other, each read when it is its turn.
final class MultipartBodySource: BodySource {
    enum Segment: Sendable {
        case data(Data)
        case body(RequestBody)

        static func bytes(_ text: String) -> Segment { .data(Data(text.utf8)) }

        var length: Int64? {
            switch self {
            case .data(let data): Int64(data.count)
            case .body(let body): body.length
            }
        }

        var data: Data? {
            switch self {
            case .data(let data): data
            case .body(let body): body.data
            }
        }
    }

    private struct State {
        var rest: ArraySlice<Segment>
        var current: (any BodySource)?
        var search: ByteSearch?
        var isCancelled = false
    }

    private let state: Mutex<State>
    private let forbidden: String?

    /// Up to this size small things in memory are put together.
    private static let mergeLimit = 64 * 1024

    private init(_ segments: [Segment], forbidden: String?) {
        state = Mutex(State(rest: segments[...]))
        self.forbidden = forbidden
    }

    /// - Parameter forbidden: a text that must not occur in what is read while sending.
    static func body(of segments: [Segment], forbidden: String?) throws -> RequestBody {
        let merged = merge(segments)
        if merged.count == 1, let data = merged[0].data { return .data(data) }
        var length: Int64? = 0
        for segment in merged {
            guard let known = length, let next = segment.length else {
                length = nil
                break
            }
            let (sum, overflow) = known.addingReportingOverflow(next)
            guard !overflow, next >= 0 else {
                throw NetworkClientError(.encodingFailed, "the parts of the form announce an impossible length")
            }
            length = sum
        }
        let isReplayable = merged.allSatisfy { if case .body(let body) = $0 { body.isReplayable } else { true } }
        return .stream(length: length, isReplayable: isReplayable) {
            MultipartBodySource(merged, forbidden: forbidden)
        }
    }

    private static func merge(_ segments: [Segment]) -> [Segment] {
        var merged: [Segment] = []
        var pending = Data()
        for segment in segments {
            if let data = segment.data, data.count <= mergeLimit {
                pending.append(data)
                continue
            }
            if !pending.isEmpty { merged.append(.data(pending)) }
            pending = Data()
            merged.append(segment)
        }
        if !pending.isEmpty { merged.append(.data(pending)) }
        return merged
    }

    func next() async throws -> Data? {
        while true {
            let source = try state.withLock { state in
                if state.isCancelled { throw CancellationError() }
                return state.current
            }
            if let source {
                if let piece = try await source.next() {
                    try checkForBoundary(piece)
                    return piece
                }
                // One that was cancelled may just end.
                state.withLock { $0.current = nil }
                continue
            }
            guard let segment = state.withLock({ $0.rest.popFirst() }) else { return nil }
            switch segment {
            case .data(let data): return data
            case .body(let body): try begin(body)
            }
        }
    }

    private func begin(_ body: RequestBody) throws {
        let source = try body.makeSource()
        let isCancelled = state.withLock { state in
            state.current = source
            state.search = body.data == nil ? forbidden.map { ByteSearch(for: $0) } : nil
            return state.isCancelled
        }
        if isCancelled { source.cancel() }
    }

    private func checkForBoundary(_ piece: Data) throws {
        guard state.withLock({ $0.search?.finds(in: piece) }) == true else { return }
        throw NetworkClientError(.uploadFailed, "the boundary of the form occurs in one of its parts")
    }

    func cancel() {
        let current = state.withLock { state in
            state.isCancelled = true
            return state.current
        }
        current?.cancel()
    }
}
