// SPDX-License-Identifier: Apache-2.0

import Synchronization

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// How long anybody waits for a body that nobody asked for: that of a refusal, of a redirect, of an attempt that is
/// repeated. It holds whatever ``Timeouts`` the call has.
private struct Patience {
    /// The longest silence.
    let silence: Duration
    /// In all: a body that trickles would hold the call up for as long as it likes.
    let total: Duration

    /// For the start of a body that an error shows.
    static let forErrors = Patience(silence: .seconds(1), total: .seconds(10))
    /// For a rest that is read so that the connection can serve again.
    static let forConnections = Patience(silence: .milliseconds(500), total: .milliseconds(500))
}

extension ResponseBody {
    /// The first bytes of the body, for an error. When reading it fails, what has come until then is returned.
    ///
    /// A second of silence ends it, and ten seconds do in any case.
    ///
    /// - Parameter clock: Default: that of the call that the body is from, else the machine's.
    package func start(upTo limit: Int, clock: (any NetworkClock)? = nil) async -> Data {
        if let data { return Data(data.prefix(limit)) }
        // Stop before the call's own limit: the response is refused for its status, and not for its size.
        let most = Swift.min(limit, exchange?.limit ?? limit)
        return await readUnasked(upTo: most, within: .forErrors, clock: clock, keepsBytes: true).bytes
    }

    /// The body in memory, so that it holds nothing of its connection's while something else is waited for; `nil` when it has
    /// not ended within the time of ``start(upTo:clock:)``, or is as long as `limit`: it is given up then.
    package func whole(upTo limit: Int) async -> ResponseBody? {
        if isWhole { return self }
        let (bytes, isWhole) = await readUnasked(upTo: limit, within: .forErrors, clock: nil, keepsBytes: true)
        return isWhole ? ResponseBody(bytes, trailers: (try? trailers()) ?? nil) : nil
    }

    /// Reads a short rest (256 KiB at most, and for half a second at most) so that the connection can serve again, else
    /// cancels the transfer. The part of a multipart body is given up at once: what is left of it is skipped.
    ///
    /// The time is that of the client's ``NetworkConfiguration/clock``.
    public func discard() async {
        guard case .stream(let stream) = storage else { return cancel() }
        // Reading beyond the call's limit would make the exchange fail, although nobody wants its body any more.
        let most = Swift.min(Self.shortRest, exchange?.limit ?? .max)
        if stream.isPart || length.map({ $0 > Int64(most) }) == true { return cancel() }
        _ = await readUnasked(upTo: most, within: .forConnections, clock: nil, keepsBytes: false)
    }

    /// The most bytes that are worth reading for a connection.
    fileprivate static let shortRest = 256 * 1024

    /// What is left of the body when the bytes or the patience are used up is given up. A source that goes on waiting
    /// although it is cancelled holds nobody up.
    fileprivate func readUnasked(
        upTo most: Int, within patience: Patience, clock: (any NetworkClock)?, keepsBytes: Bool
    ) async -> (bytes: Data, isWhole: Bool) {
        let clock = clock ?? exchange?.clock ?? SystemClock()
        let arrived = UnaskedBytes(upTo: most, keepsBytes: keepsBytes)
        let end = SharedResult<Void>()
        let reading = Task {
            // The time begins when the reading does: a busy machine may let a task wait.
            arrived.begin(at: clock.now, within: patience)
            let limit = Task {
                repeat {
                    try await clock.waitForLimit(arrived.end - clock.now)
                    // A piece that has come already counts, however slow this machine is.
                    await Task.yield()
                } while arrived.end > clock.now
                end.finish(.failure(CancellationError()))
            }
            defer { limit.cancel() }
            var iterator = makeAsyncIterator()
            do {
                while let piece = try await iterator.next() {
                    guard arrived.take(piece, at: clock.now) else { throw CancellationError() }
                }
                end.finish(.success(()))
            } catch {
                end.finish(.failure(error))
            }
        }
        do {
            // Fails when the caller is cancelled, too.
            try await end.value()
            return (arrived.bytes, true)
        } catch {
            cancel()
            // Some sources notice nothing else.
            reading.cancel()
            return (arrived.bytes, false)
        }
    }
}

extension ResponseBody.AsyncIterator {
    /// Ends reading before the body does: what is left is read in the background, as by ``ResponseBody/discard()``.
    ///
    /// - Parameter patience: how long to wait for the end, so that a call that follows at once finds the connection free.
    package consuming func discardRest(clock: any NetworkClock, patience: Duration) async {
        guard case .stream(let reader) = source else { return }
        let rest = ResponseBody(source: reader)
        let end = SharedResult<Void>()
        let reading = Task {
            _ = await rest.readUnasked(
                upTo: ResponseBody.shortRest, within: .forConnections, clock: clock, keepsBytes: false)
            end.finish(.success(()))
        }
        let limit = Task {
            try await clock.waitForLimit(patience)
            end.finish(.success(()))
        }
        do { try await end.value() } catch { reading.cancel() }
        limit.cancel()
    }
}

/// What has come of a body that nobody asked for.
private final class UnaskedBytes: Sendable {
    private struct State {
        var silence = Duration.zero
        var latest = Duration.zero
        var lastPiece = Duration.zero
        /// How many more bytes are read.
        var rest: Int
        var bytes = Data()

        /// When nothing more is waited for, unless another piece comes before.
        var end: Duration { Swift.min(lastPiece + silence, latest) }
    }

    private let keepsBytes: Bool
    private let state: Mutex<State>

    init(upTo most: Int, keepsBytes: Bool) {
        self.keepsBytes = keepsBytes
        state = Mutex(State(rest: most))
    }

    var bytes: Data { state.withLock(\.bytes) }
    var end: Duration { state.withLock(\.end) }

    func begin(at now: Duration, within patience: Patience) {
        state.withLock { state in
            (state.silence, state.latest, state.lastPiece) = (patience.silence, now + patience.total, now)
        }
    }

    /// - Returns: whether more is wanted.
    func take(_ piece: Data, at now: Duration) -> Bool {
        state.withLock { state in
            state.lastPiece = now
            if keepsBytes { state.bytes.append(piece.prefix(state.rest)) }
            state.rest -= Swift.min(piece.count, state.rest)
            return state.rest > 0 && now < state.latest
        }
    }
}
