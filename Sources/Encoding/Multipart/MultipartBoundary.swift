// SPDX-License-Identifier: Apache-2.0

import StrataCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What separates parts (RFC 2046 §5.1.1).
struct MultipartBoundary {
    let text: String
    /// A random boundary need not be searched for: 190 bits that were made after the content do not occur in it.
    private let isRandom: Bool

    private static let alphabet = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".utf8)

    init(_ given: String?) throws {
        guard let given else {
            var random = SystemRandomNumberGenerator()
            let letters = (0..<32).map { _ in Self.alphabet[Int.random(in: 0..<Self.alphabet.count, using: &random)] }
            text = "Strata-" + String(decoding: letters, as: UTF8.self)
            isRandom = true
            return
        }
        let bytes = given.utf8
        guard (1...70).contains(bytes.count), bytes.last != 0x20, bytes.allSatisfy(Self.isAllowed) else {
            throw EncodingError.invalid(
                given, "a boundary is 1 to 70 letters, digits, spaces and '()+_,-./:=?, and does not end in a space")
        }
        text = given
        isRandom = false
    }

    static func isAllowed(_ byte: UInt8) -> Bool {
        byte.isLetter || byte.isDigit || "'()+_,-./:=? ".utf8.contains(byte)
    }

    /// - Throws: when these bytes contain the boundary.
    func check(_ data: Data?) throws {
        guard !isRandom, let data else { return }
        var search = ByteSearch(for: text)
        if search.finds(in: data) { throw EncodingError.invalid(text, "the boundary occurs in a part") }
    }
}
