// SPDX-License-Identifier: Apache-2.0

import Logging
import StrataCore
import Synchronization

/// Pulls elements on behalf of an `AsyncStream`, whose consumer sets the pace.
///
/// Dropping the stream drops this, and with it what it pulls from: the transfer is cancelled.
final class StreamPump<Element>: @unchecked Sendable {  // `isPulling` lets one task at the closure
    private var pull: (() async throws -> Element?)?
    private let isPulling = Atomic(false)

    /// Where the closure is called. Weak, because it may hold the stream.
    private weak var actor: (any Actor)?

    /// - Parameter actor: the one that the conformance of models may belong to.
    init(on actor: (any Actor)? = nil, _ pull: @escaping () async throws -> Element?) {
        self.actor = actor
        self.pull = pull
    }

    /// - Throws: what the closure throws; `bodyAlreadyConsumed` for a second consumer at the same time.
    func next() async throws -> Element? {
        guard !isPulling.exchange(true, ordering: .acquiringAndReleasing) else {
            throw NetworkClientError(
                .bodyAlreadyConsumed, "the stream has a consumer that is waiting for its next element")
        }
        defer { isPulling.store(false, ordering: .releasing) }
        do {
            let element = try await pulled(on: actor).element
            if element == nil { pull = nil }
            return element
        } catch {
            pull = nil
            throw error
        }
    }

    private func pulled(on actor: isolated (any Actor)?) async throws -> Pulled { Pulled(element: try await pull?()) }

    private struct Pulled: @unchecked Sendable {  // the actor keeps nothing of it
        let element: Element?
    }

    func throwingStream() -> AsyncThrowingStream<Element, any Error> {
        AsyncThrowingStream { try await self.next() }
    }

    func stream(logger: Logger) -> AsyncStream<Element> {
        AsyncStream {
            do {
                return try await self.next()
            } catch is CancellationError {
                return nil
            } catch {
                // Nothing of the response is written: an error of the client says what is safe to say.
                let reason = (error as? NetworkClientError).map(\.description) ?? "\(type(of: error))"
                logger.error("a stream ended early", metadata: ["error": "\(reason)"])
                return nil
            }
        }
    }
}
