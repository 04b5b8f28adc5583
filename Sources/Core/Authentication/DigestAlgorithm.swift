// SPDX-License-Identifier: Apache-2.0

/// The hash functions of digest authentication (RFC 7616 §3.2, §6.1), the strongest last. Who answers a challenge computes them by the
/// library that it has.
package enum DigestAlgorithm: Int, Comparable, Sendable {
    case md5
    case sha256

    /// - Parameter name: without `-sess`, in any case.
    init?(name: String) {
        switch name.uppercased() {
        case "MD5": self = .md5
        case "SHA-256": self = .sha256
        default: return nil
        }
    }

    package static func < (one: Self, other: Self) -> Bool { one.rawValue < other.rawValue }
}
