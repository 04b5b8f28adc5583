// SPDX-License-Identifier: Apache-2.0

import Crypto
import StrataCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The hash functions of digest authentication (RFC 7616 §3.2, §6.1), the strongest last.
enum DigestAlgorithm: Int, Comparable, Sendable {
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

    static func < (one: Self, other: Self) -> Bool { one.rawValue < other.rawValue }

    /// In hexadecimal digits, lower case.
    func hash(_ text: String) -> String { hash(Array(text.utf8)) }

    func hash(_ bytes: [UInt8]) -> String {
        var hasher = DigestHasher(self)
        hasher.update(Data(bytes))
        return hasher.finalize()
    }
}

/// One of the hash functions at work.
enum DigestHasher {
    case md5(Insecure.MD5)
    case sha256(SHA256)

    init(_ algorithm: DigestAlgorithm) {
        switch algorithm {
        case .md5: self = .md5(Insecure.MD5())
        case .sha256: self = .sha256(SHA256())
        }
    }

    mutating func update(_ data: Data) {
        switch self {
        case .md5(var hasher):
            hasher.update(data: data)
            self = .md5(hasher)
        case .sha256(var hasher):
            hasher.update(data: data)
            self = .sha256(hasher)
        }
    }

    func finalize() -> String {
        let bytes: [UInt8] =
            switch self {
            case .md5(let hasher): Array(hasher.finalize())
            case .sha256(let hasher): Array(hasher.finalize())
            }
        return bytes.map(\.hexadecimal).joined()
    }
}
