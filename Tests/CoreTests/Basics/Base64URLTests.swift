// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataCore
import Testing

struct Base64URLTests {
    @Test(
        arguments: [
            ([], "", ""), ([0x66], "Zg", "Zg=="), ([0x66, 0x6F], "Zm8", "Zm8="), ([0x66, 0x6F, 0x6F], "Zm9v", "Zm9v"),
            ([0xFB, 0xFF, 0xBF], "-_-_", "-_-_"), ([0xFB, 0xEF, 0xBE, 0xFF], "----_w", "----_w=="),
        ] as [([UInt8], String, String)])
    func isWrittenWithoutPaddingAndReadWithAndWithout(bytes: [UInt8], text: String, padded: String) {
        #expect(Base64URL.encode(Data(bytes)) == text)
        #expect(Base64URL.decode(text) == Data(bytes))
        #expect(Base64URL.decode(padded) == Data(bytes))
    }

    @Test(arguments: ["A", "Zm9v!", "Zm 9v", "é"])
    func whatIsNotBase64IsNone(text: String) {
        #expect(Base64URL.decode(text) == nil)
    }
}
