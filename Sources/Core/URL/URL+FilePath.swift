// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

extension URL {
    /// The path of a file's URL, as the system takes it; `nil` for any other, and where an escaped slash or NUL in it would
    /// name another file (RFC 3986 §2.2).
    package var filePath: String? {
        let escaped = path(percentEncoded: true).uppercased()
        guard isFileURL, !escaped.contains("%2F"), !escaped.contains("%00") else { return nil }
        return path(percentEncoded: false)
    }
}
