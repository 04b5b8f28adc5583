// SPDX-License-Identifier: Apache-2.0

import StrataCore
import StrataTransportSupport
import Synchronization

/// Makes the sessions of a transport under its settings. What those name is read before the first request that needs it, and
/// again as long as it cannot be used.
final class TLSProvider: Sendable {
    private let settings: TLSSettings
    private let keyLogFile: String?
    private let made = Mutex<TLSContext?>(nil)

    init(_ settings: TLSSettings, keyLogFile: String? = nil) {
        self.settings = settings
        self.keyLogFile = keyLogFile
    }

    /// - Throws: `tlsFailed` for settings that cannot be used, so that nothing is sent under them; `fileFailed` for the key log.
    func check() throws(NetworkClientError) { _ = try context() }

    /// - Parameter host: an IPv6 address without its brackets.
    func session(
        host: String, port: UInt16, descriptor: Int32, over outer: TLSSession? = nil, protocols: [String] = ["http/1.1"]
    ) throws(NetworkClientError) -> TLSSession {
        try TLSSession(
            try context(), host: host, port: port, descriptor: descriptor, over: outer, protocols: protocols)
    }

    private func context() throws(NetworkClientError) -> TLSContext {
        try made.withLock { made throws(NetworkClientError) in
            if let made { return made }
            let context = try TLSContext(settings, keyLogFile: keyLogFile)
            made = context
            return context
        }
    }
}
