// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes

extension HTTPRequest {
    /// Which of several loops carries the request: always the same for an origin, so that its connections are reused.
    package func loop(among count: Int) -> Int {
        guard count > 1 else { return 0 }
        var hasher = Hasher()
        hasher.combine(scheme)
        hasher.combine(authority)
        return Int(UInt(bitPattern: hasher.finalize()) % UInt(count))
    }
}
