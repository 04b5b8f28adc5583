// SPDX-License-Identifier: Apache-2.0

import Crypto
import StrataCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

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

    /// In hexadecimal digits, lower case.
    func finalize() -> String {
        let bytes: [UInt8] =
            switch self {
            case .md5(let hasher): Array(hasher.finalize())
            case .sha256(let hasher): Array(hasher.finalize())
            }
        return bytes.map(\.hexadecimal).joined()
    }

    /// Of a whole text.
    static func hash(_ bytes: [UInt8], by algorithm: DigestAlgorithm) -> String {
        var hasher = DigestHasher(algorithm)
        hasher.update(Data(bytes))
        return hasher.finalize()
    }
}
