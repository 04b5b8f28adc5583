// SPDX-License-Identifier: Apache-2.0

import StrataCore

extension TransportRequest {
    private enum FirstOriginKey: RequestAttributeKey {
        static let defaultValue: Origin? = nil
    }

    /// Whether the request goes to the origin where its call began. What a client adds by itself is not meant for the
    /// targets of redirects and links.
    var isAtFirstOrigin: Bool {
        if options.isAwayFromHome { return false }
        guard let call else { return true }
        // This layer may not have seen the first hop, if another one answered it.
        if call.isForeign(self) { return false }
        return call.value(FirstOriginKey.self) { origin } == origin
    }

    /// Whether the request goes to the origin of the client's base URL or, without one, where its call began.
    var isAtHomeOrigin: Bool {
        guard let base = call?.baseOrigin else { return isAtFirstOrigin }
        return isAt(base)
    }
}
