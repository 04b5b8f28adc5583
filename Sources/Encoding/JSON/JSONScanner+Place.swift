// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension JSONScanner {
    /// The keys and indices that lead to where the text stops being JSON: for a text that an encoder wrote, which is no deeper
    /// than the encoder goes.
    static func pathToFailure(in text: Data) -> [any CodingKey] {
        var scanner = JSONScanner([UInt8](text))
        var path: [StringKey] = []
        try? scanner.walk(&path)
        return path
    }

    /// Where it throws, `path` leads to the value at hand.
    private mutating func walk(_ path: inout [StringKey]) throws(Failure) {
        switch try peekKind() {
        case .object:
            try expect(UInt8(ascii: "{"))
            if consume(UInt8(ascii: "}")) { return }
            repeat {
                path.append(StringKey(try text(in: try skipKey())))
                try walk(&path)
                path.removeLast()
            } while consume(UInt8(ascii: ","))
            try expect(UInt8(ascii: "}"))
        case .array:
            try expect(UInt8(ascii: "["))
            if consume(UInt8(ascii: "]")) { return }
            var index = 0
            repeat {
                path.append(StringKey(index))
                try walk(&path)
                path.removeLast()
                index += 1
            } while consume(UInt8(ascii: ","))
            try expect(UInt8(ascii: "]"))
        case .string, .number, .bool, .null: try skipValue()
        }
    }
}
