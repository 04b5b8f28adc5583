// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

extension JSONDecoder {
    /// Decodes what came from outside of the program, which may be cut off anywhere.
    package func decodeReceived<Model: Decodable>(_ type: Model.Type, from data: Data) throws -> Model {
        if data.isJSONCutOffInArray {
            throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "Unexpected end of file"))
        }
        return try decode(type, from: data)
    }
}

extension Data {
    /// Whether the last character is the bracket that opens an array, which no whole JSON text ends with.
    ///
    /// The `JSONDecoder` of swift-foundation (6.3) ends the process when it finds this one nested too deeply, which is at 513.
    package var isJSONCutOffInArray: Bool {
        // In UTF-16 and UTF-32 zeros follow.
        last { $0 != 0 } == UInt8(ascii: "[")
    }
}
