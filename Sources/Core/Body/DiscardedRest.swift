// SPDX-License-Identifier: Apache-2.0

/// What is left of a body that nobody wants any more. It is read to its end, so that its connection can serve again; a rest
/// that is too long for that, or too slow, is cancelled.
struct DiscardedRest: Sendable {
    /// The most bytes that are worth reading for a connection.
    static let limit = 256 * 1024
    /// The longest time that is worth waiting for one.
    private static let patience = Duration.milliseconds(500)

    private let source: any BodySource
    /// Ends when the rest has been read or cancelled.
    let reading: Task<Void, Never>

    init(_ source: any BodySource, upTo limit: Int = Self.limit, clock: any NetworkClock) {
        self.source = source
        // In a task of its own, which can be cancelled: some sources notice nothing else.
        let reading = Task {
            var left = limit
            while left > 0, let piece = try? await source.next() { left -= piece.count }
            if left <= 0 { source.cancel() }
        }
        let timer = Task {
            try await clock.sleep(for: Self.patience)
            source.cancel()
            reading.cancel()
        }
        self.reading = Task {
            await withTaskCancellationHandler {
                await reading.value
            } onCancel: {
                reading.cancel()
            }
            timer.cancel()
        }
    }

    func cancel() {
        source.cancel()
        reading.cancel()
    }
}

extension ResponseBody.AsyncIterator {
    /// Ends reading before the body does: what is left is read in the background, as by ``ResponseBody/discard()``.
    ///
    /// - Parameter patience: how long to wait for the end, so that a call that follows at once finds the connection free.
    package consuming func discardRest(clock: any NetworkClock, patience: Duration) async {
        guard case .stream(let reader) = source else { return }
        let rest = DiscardedRest(reader, clock: clock)
        let end = SharedResult<Void>()
        let timer = Task {
            try await clock.sleep(for: patience)
            end.finish(.success(()))
        }
        Task {
            await rest.reading.value
            timer.cancel()
            end.finish(.success(()))
        }
        do { try await end.value() } catch { rest.cancel() }
    }
}
