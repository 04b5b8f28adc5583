// SPDX-License-Identifier: Apache-2.0

import StrataCore

extension TransportRule {
    static let responseFields: [TransportRule] = [
        .receives("names compare without case", source: "RFC 9110 §5.1", answer(ok("x-lower: 1\r\nX-UPPER: 2\r\n"))) {
            try $0.expect([$1.field("X-Lower"), $1.field("x-upper")], is: ["1", "2"], "the fields")
        },
        .receives(
            "repeated fields of a response stay apart, in order", source: "RFC 9110 §5.2", needs: .exactFields,
            answer(ok("X-A: 1\r\nX-B: 2\r\nX-A: 3\r\n"))
        ) { try $0.expect($1.fields("x-a"), is: ["1", "3"], "the field") },
        .receives(
            "Set-Cookie is never merged", source: "RFC 9110 §5.3",
            answer(ok("Set-Cookie: a=1; Expires=Wed, 21 Oct 2026 07:28:00 GMT\r\nSet-Cookie: b=2\r\n"))
        ) {
            try $0.expect(
                $1.fields("set-cookie"), is: ["a=1; Expires=Wed, 21 Oct 2026 07:28:00 GMT", "b=2"], "Set-Cookie")
        },
        .receives("an empty value arrives", source: "RFC 9110 §5.5", answer(ok("X-Empty:\r\n"))) {
            try $0.expect($1.field("x-empty"), is: "", "the field")
        },
        .receives("white space around a value goes", source: "RFC 9110 §5.5", answer(ok("X-Space: \t a b \t \r\n"))) {
            try $0.expect($1.field("x-space"), is: "a b", "the field")
        },
        .receives("a value needs no space before it", source: "RFC 9112 §5.1", answer(ok("X-Near:a\r\n"))) {
            try $0.expect($1.field("x-near"), is: "a", "the field")
        },
        .receives("colons in values stay", source: "RFC 9112 §5", answer(ok("X-Time: 12:30:15\r\n"))) {
            try $0.expect($1.field("x-time"), is: "12:30:15", "the field")
        },
        .receives(
            "UTF-8 in values passes", source: "RFC 9110 §5.5", needs: .exactFields, answer(ok("X-Name: grüß\r\n"))
        ) {
            try $0.expect($1.field("x-name"), is: "grüß", "the field")
        },
        .receives(
            "two hundred fields arrive", source: "contract", answer(ok((0..<200).map { "X-\($0): \($0)\r\n" }.joined()))
        ) {
            try $0.expect($1.field("x-199"), is: "199", "the last one")
        },
        .receives(
            "a value of 20 KB arrives", source: "contract",
            answer(ok("X-Long: \(String(repeating: "v", count: 20_000))\r\n"))
        ) {
            try $0.expect($1.field("x-long")?.count, is: 20_000, "the length")
        },
        .receives(
            "Location is given as it came", source: "RFC 9110 §10.2.2",
            answer("HTTP/1.1 201 C\r\nLocation: ../x?y#z\r\nContent-Length: 0\r\n\r\n")
        ) {
            try $0.expect($1.field("location"), is: "../x?y#z", "Location")
        },
        .receives(
            "a folded value is one value", source: "RFC 9112 §5.2", needs: .exactFields,
            answer(ok("X-Fold: a\r\n b\r\n\tc\r\n"))
        ) {
            try $0.expect(
                $1.field("x-fold")?.split { $0 == " " || $0 == "\t" }.joined(separator: " "), is: "a b c", "the field")
        },
    ]
}
