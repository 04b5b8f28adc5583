// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Synchronization

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Bytes in memory as a source of one piece.
final class DataBodySource: BodySource {
    private enum State {
        case whole(Data), ended, cancelled
    }

    private let state: Mutex<State>
    let trailers: HTTPFields?

    init(_ data: Data, trailers: HTTPFields? = nil) {
        self.trailers = trailers
        state = Mutex(data.isEmpty ? .ended : .whole(data))
    }

    func next() throws -> Data? {
        try state.withLock { state in
            switch state {
            case .whole(let data):
                state = .ended
                return data
            case .ended: return nil
            case .cancelled: throw CancellationError()
            }
        }
    }

    func cancel() {
        state.withLock { state in
            if case .whole = state { state = .cancelled }
        }
    }
}
