// SPDX-License-Identifier: Apache-2.0

/// The client's own server, to which its secrets may go.
package enum HomeServer: Sendable {
    case none
    /// That of the base URL.
    case origin(Origin)
    /// Where the call begins. Hardly any call goes elsewhere, and until then nothing has to be parsed.
    case start(scheme: String, authority: String)

    func isServer(ofScheme scheme: String?, authority: String?) -> Bool {
        switch self {
        case .none: return false
        case .origin(let origin): return origin.isOrigin(ofScheme: scheme, authority: authority)
        case .start(let ownScheme, let ownAuthority):
            if ownAuthority == authority, ownScheme == scheme { return true }
            return Origin(scheme: ownScheme, authority: ownAuthority)?.isOrigin(ofScheme: scheme, authority: authority)
                ?? false
        }
    }
}
