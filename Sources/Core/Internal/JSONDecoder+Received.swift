// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

extension JSONDecoder {
    /// Decodes what came from outside of the program, which may be anything.
    package func decodeReceived<Model: Decodable>(_ type: Model.Type, from data: Data) throws -> Model {
        try refuseWhatIsFatal(data)
        return try decode(type, from: data)
    }

    /// Refuses the texts at which the `JSONDecoder` of swift-foundation (6.3) ends the process.
    ///
    /// - Throws: `DecodingError.dataCorrupted`.
    package func refuseWhatIsFatal(_ data: Data) throws {
        if data.isCutOffInArray { throw Self.refusal("Unexpected end of file") }
        if data.holdsFatalNumber(mayHideStrings: allowsJSON5) {
            throw Self.refusal("A whole number with more than \(FatalNumber.length) characters")
        }
    }

    private static func refusal(_ reason: String) -> DecodingError {
        .dataCorrupted(.init(codingPath: [], debugDescription: reason))
    }
}

extension Data {
    /// Whether nothing but white space follows the bracket that opens an array, which is fatal where it is the 513th.
    fileprivate var isCutOffInArray: Bool {
        // In UTF-16 and UTF-32 zeros follow, too.
        last { $0 != 0 && !$0.isJSONWhitespace } == UInt8(ascii: "[")
    }

    /// Whether there is a ``FatalNumber`` outside of strings.
    ///
    /// - Parameter mayHideStrings: whether quotes do not tell where strings are, as in JSON5. UTF-16 and UTF-32 hide them
    ///   anyway. Then a number in a string counts, too.
    fileprivate func holdsFatalNumber(mayHideStrings: Bool) -> Bool {
        withUnsafeBytes { bytes in
            guard FatalNumber.mayBe(in: bytes) else { return false }
            let hidesStrings = mayHideStrings || bytes.contains(0)
            var isInString = false
            var token: [UInt8] = []
            var index = 0
            while index < bytes.count {
                let byte = bytes[index]
                if !hidesStrings, byte == UInt8(ascii: "\"") {
                    isInString.toggle()
                } else if isInString, byte == UInt8(ascii: "\\") {
                    index += 1
                } else if !isInString, byte != 0 {
                    if FatalNumber.isMade(of: byte) {
                        token.append(byte)
                    } else {
                        if FatalNumber.is(token) { return true }
                        token.removeAll(keepingCapacity: true)
                    }
                }
                index += 1
            }
            return FatalNumber.is(token)
        }
    }
}

/// A number in so many characters that `Decimal` cannot hold its exponent, with a value that an integer can hold and `Double`
/// cannot tell from its neighbours: decoded as an integer, it is fatal.
private enum FatalNumber {
    /// The shortest has 135 characters.
    static let length = 128

    static func isMade(of byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."),
            UInt8(ascii: "e"), UInt8(ascii: "E"):
            true
        default: false
        }
    }

    static func `is`(_ token: [UInt8]) -> Bool {
        guard token.count > length, let value = Double(String(decoding: token, as: UTF8.self))?.magnitude else {
            return false
        }
        return value >= 0x1p53 && value <= 0x1p128 && value == value.rounded()
    }

    /// A quick look at every 64th byte: two in a row are part of any that is there.
    static func mayBe(in bytes: UnsafeRawBufferPointer) -> Bool {
        var wasPart = false
        for index in stride(from: 0, to: bytes.count, by: length / 2) {
            let isPart = isMade(of: bytes[index]) || bytes[index] == 0
            if isPart, wasPart { return true }
            wasPart = isPart
        }
        return false
    }
}
