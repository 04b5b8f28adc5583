// SPDX-License-Identifier: Apache-2.0

import Foundation

extension Call {
    /// Takes `user:password@` out of the URL, for credentials of that kind; other credentials win.
    package mutating func takeUserInformation() {
        guard let scheme = url.range(of: "://") else { return }
        let authority = url[scheme.upperBound...].prefix { !"/?#".contains($0) }
        guard let at = authority.lastIndex(of: "@") else { return }
        let (user, password) = CallCredentials.pair(String(authority[..<at]))
        if credentials == .none {
            credentials = .basic(
                user: user.removingPercentEncoding ?? user,
                password: password.map { $0.removingPercentEncoding ?? $0 } ?? "")
        }
        url.removeSubrange(authority.startIndex...at)
    }
}
