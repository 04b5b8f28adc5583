// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataCore
import StrataTransportSupport
import Testing

struct PublicKeyPinTests {
    private static let hash = "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="

    @Test(arguments: ["", "sha256//", "sha256/"])
    func mayHaveAPrefix(_ prefix: String) throws {
        #expect(try PublicKeyPin(prefix + Self.hash).hash == Data(base64Encoded: Self.hash))
    }

    @Test(arguments: ["", "abc", "sha1/\(hash)", "sha256//sha256//\(hash)", String(hash.dropLast(4))])
    func isRefusedWhenItIsNotAHash(_ text: String) {
        #expect { try PublicKeyPin(text) } throws: { error in
            (error as? NetworkClientError)?.code == .tlsFailed && "\(error)".contains("\"\(text)\"")
        }
    }
}
