// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// Base64 for URLs and file names (RFC 4648 §5).
package enum Base64URL {
    /// Without padding.
    package static func encode(_ data: Data) -> String {
        let bytes = data.base64EncodedString().utf8.lazy.filter { $0 != UInt8(ascii: "=") }.map { byte -> UInt8 in
            byte == UInt8(ascii: "+") ? UInt8(ascii: "-") : byte == UInt8(ascii: "/") ? UInt8(ascii: "_") : byte
        }
        return String(decoding: Array(bytes), as: UTF8.self)
    }

    /// Padding may be there or not.
    package static func decode(_ text: String) -> Data? {
        var bytes = text.utf8.map { byte -> UInt8 in
            byte == UInt8(ascii: "-") ? UInt8(ascii: "+") : byte == UInt8(ascii: "_") ? UInt8(ascii: "/") : byte
        }
        while !bytes.count.isMultiple(of: 4) { bytes.append(UInt8(ascii: "=")) }
        return Data(base64Encoded: Data(bytes))
    }
}
