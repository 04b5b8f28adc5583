// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Hummingbird

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Small documents of several formats: `/json`, `/xml`, `/html`, `/robots.txt`, `/encoding/utf8`, `/base64/{value}`,
/// `/links/{n}/{offset}`; and `/`, which lists the routes.
enum FormatRoutes {
    static var routes: [Route] {
        [
            Route("/") { _ in
                .text(EchoRouter.allRoutes.map(\.pattern.description).sorted().joined(separator: "\n") + "\n")
            },
            Route("/json") { _ in .json(slideshow) },
            Route("/xml") { _ in .text(xml, type: "application/xml") },
            Route("/html") { _ in .text(html, type: "text/html; charset=utf-8") },
            Route("/robots.txt") { _ in .text("User-agent: *\nDisallow: /deny\n", type: "text/plain") },
            Route("/deny") { _ in .text("YOU SHOULDN'T BE HERE\n", type: "text/plain") },
            Route("/encoding/utf8") { _ in .text(unicode, type: "text/html; charset=utf-8") },
            Route("/base64/{value}") { request in
                .text(
                    decodedBase64URL(request.text("value")) ?? "Incorrect Base64 data", type: "text/html; charset=utf-8"
                )
            },
            Route("/links/{n:int}/{offset:int}", handler: links),
            Route("/links/{n:int}") { RedirectRoutes.redirect(to: "/links/\($0.integer("n"))/0") },
        ]
    }

    private static func links(_ request: EchoRequest) -> Response {
        let count = min(max(1, request.integer("n")), 200)
        let offset = request.integer("offset")
        let items = (0..<count).map { $0 == offset ? "\($0) " : "<a href='/links/\(count)/\($0)'>\($0)</a> " }
        return .text(
            "<html><head><title>Links</title></head><body>\(items.joined())</body></html>",
            type: "text/html; charset=utf-8")
    }

    private static func decodedBase64URL(_ text: String) -> String? {
        let alphabet = text.map { character in
            switch character {
            case "-": Character("+")
            case "_": Character("/")
            default: character
            }
        }
        return Data(base64Encoded: String(alphabet)).flatMap { String(data: $0, encoding: .utf8) }
    }

    private static let slideshow: JSONValue = [
        "slideshow": [
            "author": "Yours Truly", "date": "date of publication", "title": "Sample Slide Show",
            "slides": [
                ["title": "Wake up to WonderWidgets!", "type": "all"],
                [
                    "items": ["Why <em>WonderWidgets</em> are great", "Who <em>buys</em> WonderWidgets"],
                    "title": "Overview", "type": "all",
                ],
            ],
        ]
    ]

    private static let xml = """
        <?xml version='1.0' encoding='us-ascii'?>
        <slideshow title="Sample Slide Show" date="Date of publication" author="Yours Truly">
            <slide type="all"><title>Wake up to WonderWidgets!</title></slide>
            <slide type="all"><title>Overview</title></slide>
        </slideshow>

        """

    private static let html = """
        <!DOCTYPE html>
        <html><head><title>Echo</title></head><body><h1>A page</h1><p>It says little.</p></body></html>

        """

    /// Several scripts, a combining sequence, a character beyond the basic plane, and a line separator.
    private static let unicode = """
        <h1>Unicode Demo</h1>
        <pre>grüßen · Ελληνικά · кириллица · 日本語 · العربية · e\u{301} · 👩‍👩‍👧 · a\u{2028}b</pre>

        """
}
