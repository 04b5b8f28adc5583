// SPDX-License-Identifier: Apache-2.0

public import StrataCore
import Synchronization

/// What goes wrong in a replayed exchange that went well when it was recorded.
///
///     CassetteTransport(cassette, faults: [.cut(after: 1024).times(1), .stall.on { $0.path == "/events" }])
///
/// Of several faults that concern a request, the first counts.
public struct ReplayFault: Sendable {
    enum Effect: Sendable {
        case cut(after: Int, any Error)
        case stall(after: Int)
        case failure(any Error)
        case delay(Duration)
    }

    let effect: Effect
    private var concerns: @Sendable (RecordedRequest) -> Bool = { _ in true }
    private var limit: Limit?

    private init(_ effect: Effect) { self.effect = effect }

    /// The body breaks off after so many bytes; one that has no more is whole. Default: the connection is lost.
    public static func cut(
        after bytes: Int,
        _ error: any Error = NetworkClientError(.connectionLost, "the replayed connection was cut")
    ) -> ReplayFault {
        ReplayFault(.cut(after: max(0, bytes), error))
    }

    /// The head comes, and nothing after it.
    public static let stall = ReplayFault.stall(after: 0)

    /// After so many bytes of the body nothing more comes: until a timeout passes, or the reader gives up.
    public static func stall(after bytes: Int) -> ReplayFault { ReplayFault(.stall(after: max(0, bytes))) }

    /// No response: the transport throws.
    public static func failure(_ error: any Error) -> ReplayFault { ReplayFault(.failure(error)) }

    /// The head comes so much later, and the body with it.
    public static func delay(_ duration: Duration) -> ReplayFault { ReplayFault(.delay(duration)) }

    /// The fault concerns only the requests for which `condition` is true. They are seen with their secrets masked.
    public func on(_ condition: @escaping @Sendable (RecordedRequest) -> Bool) -> ReplayFault {
        var fault = self
        let earlier = concerns
        fault.concerns = { earlier($0) && condition($0) }
        return fault
    }

    /// The fault happens so often, and then no more. Counted over all transports that get this value.
    public func times(_ count: Int) -> ReplayFault {
        var fault = self
        fault.limit = Limit(count)
        return fault
    }

    func happens(to request: RecordedRequest) -> Bool { concerns(request) && limit?.take() ?? true }

    private final class Limit: Sendable {
        private let rest: Mutex<Int>

        init(_ count: Int) { rest = Mutex(count) }

        func take() -> Bool {
            rest.withLock { rest in
                defer { rest = max(0, rest - 1) }
                return rest > 0
            }
        }
    }
}
