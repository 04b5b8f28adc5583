// SPDX-License-Identifier: Apache-2.0

package import StrataCore

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// The SHA-256 hash of a public key that a server may have (of its SubjectPublicKeyInfo, RFC 7469 §2.4).
package struct PublicKeyPin: Hashable, Sendable {
    /// 32 bytes.
    package let hash: Data

    /// - Parameter text: base64 of 32 bytes, also after `sha256//`, as curl has it, or, as OkHttp has it, `sha256/`.
    /// - Throws: ``NetworkClientError`` with `tlsFailed`.
    package init(_ text: String) throws(NetworkClientError) {
        let prefix = ["sha256//", "sha256/"].first { text.hasPrefix($0) } ?? ""
        guard let hash = Data(base64Encoded: String(text.dropFirst(prefix.count))), hash.count == 32 else {
            throw NetworkClientError(
                .tlsFailed,
                "the pinned public key \"\(text.prefix(100))\" is not the base64 of a SHA-256 hash, 32 bytes")
        }
        self.hash = hash
    }
}
