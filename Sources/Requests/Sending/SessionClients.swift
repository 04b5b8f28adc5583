// SPDX-License-Identifier: Apache-2.0

import StrataCore
import StrataEncoding
import StrataURLSession
import Synchronization

import Foundation

/// The clients of sessions: one for each, so that its connections are reused.
///
/// A transport keeps its session alive, and programs that make many sessions must not pile them up. So beyond the limit
/// the client that was not used for longest is dropped. It goes when its last exchange is done.
final class SessionClients: Sendable {
    private struct Entry {
        let session: URLSession
        let client: NetworkClient
        var lastUse: UInt64
    }

    static let shared = SessionClients(limit: 16)

    private let limit: Int
    private let state = Mutex<(entries: [ObjectIdentifier: Entry], uses: UInt64)>(([:], 0))

    init(limit: Int) {
        self.limit = limit
    }

    func client(for session: URLSession) -> NetworkClient {
        state.withLock { state in
            state.uses += 1
            if let client = state.entries[ObjectIdentifier(session)]?.client {
                state.entries[ObjectIdentifier(session)]?.lastUse = state.uses
                return client
            }
            let oldest = state.entries.min { $0.value.lastUse < $1.value.lastUse }
            if state.entries.count >= limit, let oldest { state.entries[oldest.key] = nil }
            let client = NetworkClient(
                configuration: NetworkConfiguration(baseURL: nil, transport: URLSessionTransport(session: session)))
            state.entries[ObjectIdentifier(session)] = Entry(session: session, client: client, lastUse: state.uses)
            return client
        }
    }

    var count: Int { state.withLock(\.entries.count) }

    func holds(_ session: URLSession) -> Bool {
        state.withLock { $0.entries[ObjectIdentifier(session)] != nil }
    }
}
