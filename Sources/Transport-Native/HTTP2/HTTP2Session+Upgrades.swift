// SPDX-License-Identifier: Apache-2.0

import CStrataNGHTTP2
import HTTPTypes
import StrataCore

/// A request for another protocol that waits until it is known whether the server takes it.
struct HeldStream {
    let stream: ClientStream
    let head: HTTPRequest
    let acceptEncoding: String?
}

/// Streams that go on in another protocol (RFC 8441). Whether a server takes them is in its settings, so that nothing is asked of it
/// before those have come (§3).
extension HTTP2Session {
    /// Whether the server takes them, as far as its settings have come.
    var takesUpgrades: Bool {
        nghttp2_session_get_remote_settings(codec, NGHTTP2_SETTINGS_ENABLE_CONNECT_PROTOCOL) == 1
    }

    /// All that have not ended, in the order of their numbers; those first that have none yet.
    var unfinished: [ClientStream] { held.map(\.stream) + streams.values.sorted { $0.id < $1.id } }

    /// Keeps a request until the settings have come. When they are there, the server does not take it.
    func hold(_ request: HeldStream) {
        if hasSettings { close(request.stream, .upgradeNotTaken) } else { held.append(request) }
    }

    /// The settings have come: what waits for them begins, or never will.
    func beginHeld() {
        for request in releaseHeld() {
            guard takesUpgrades else {
                close(request.stream, .upgradeNotTaken)
                continue
            }
            do throws(NetworkClientError) { try submit(request) } catch { close(request.stream, .failed(error)) }
        }
    }

    /// What was held is nobody's any more.
    func releaseHeld() -> [HeldStream] {
        defer { held = [] }
        return held
    }
}
