// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import StrataMiddleware

struct SHA512t256Tests {
    /// FIPS 180-4's example, the empty text, and lengths around the block's edge.
    @Test(arguments: [
        ("", 1, "c672b8d1ef56ed28ab87c3622c5114069bdd3ad7b8f9737498d0c01ecef0967a"),
        ("abc", 1, "53048e2681941ef99b2e29b76b4c7dabe4c2d0c634fc6d46e0e2f13107e7af23"),
        ("a", 111, "0239e429f98d0ed61ee8e2a7c30afe98c1c3a80ce5dff62a107e9c538f7632ce"),
        ("a", 112, "9216b5303edb66504570bee90e48ea5beaa5e9fe9f760bbd3e0460559fc005f6"),
        ("a", 128, "b88f97e274f9c1d49f181c8cbd01a9c74930ad055a46ac4499a1d601f1c80bf2"),
        ("a", 1000, "40eb4a70d4d69815407a9e272f0101cd67e3d11262a4a0bfc087712749c7fb53"),
    ])
    func agreesWithTheStandard(text: String, count: Int, expected: String) {
        var hasher = SHA512t256()
        for _ in 0..<count { hasher.update(Array(text.utf8)) }
        let digest = hasher.finalize().map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        #expect(digest == expected)
    }
}
