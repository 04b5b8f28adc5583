// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import StrataCore
import Synchronization

/// The exchanges of one call, in order.
final class Exchanges: Sendable {
    struct Exchange: Sendable {
        var request: TransportRequest
        var response: HTTPResponse?
    }

    private let state = Mutex<[Exchange]>([])

    func begin(_ request: TransportRequest) { state.withLock { $0.append(Exchange(request: request)) } }

    func end(_ response: HTTPResponse) {
        state.withLock { exchanges in
            if let last = exchanges.indices.last { exchanges[last].response = response }
        }
    }

    var all: [Exchange] { state.withLock(\.self) }
}
