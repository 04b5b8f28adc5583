// SPDX-License-Identifier: Apache-2.0

import StrataCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The hash of a public key in libcurl's spelling, `sha256//BASE64`.
enum PublicKeyPin {
    /// - Parameter text: base64 of 32 bytes, also after `sha256//` or, as OkHttp has it, `sha256/`.
    static func text(_ text: String) throws(NetworkClientError) -> String {
        var hash = text[...]
        for prefix in ["sha256//", "sha256/"] where hash.hasPrefix(prefix) {
            hash = hash.dropFirst(prefix.count)
            break
        }
        guard Data(base64Encoded: String(hash))?.count == 32 else {
            throw NetworkClientError(
                .tlsFailed,
                "the pinned public key \"\(text.prefix(100))\" is not the base64 of a SHA-256 hash, 32 bytes")
        }
        return "sha256//\(hash)"
    }
}
