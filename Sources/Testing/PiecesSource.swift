// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
public import StrataCore
import Synchronization

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Hands out pieces one by one, then ends or fails. A cancelled task gets `CancellationError`.
public final class PiecesSource: BodySource {
    private struct State {
        var pieces: ArraySlice<Data>
        var isCancelled = false
    }

    private let state: Mutex<State>
    private let failure: (any Error)?
    public let trailers: HTTPFields?

    /// - `trailers`: the fields behind the pieces.
    public init(_ pieces: [Data], failure: (any Error)? = nil, trailers: HTTPFields? = nil) {
        self.trailers = trailers
        state = Mutex(State(pieces: pieces.filter { !$0.isEmpty }[...]))
        self.failure = failure
    }

    /// Whether the reader gave up.
    public var isCancelled: Bool { state.withLock(\.isCancelled) }

    /// How many pieces nobody has pulled yet.
    public var remaining: Int { state.withLock(\.pieces.count) }

    @_documentation(visibility: internal)
    public func next() throws -> Data? {
        try state.withLock { state in
            if state.isCancelled || Task.isCancelled { throw CancellationError() }
            if let piece = state.pieces.popFirst() { return piece }
            if let failure { throw failure }
            return nil
        }
    }

    @_documentation(visibility: internal)
    public func cancel() {
        state.withLock { $0.isCancelled = true }
    }
}
