// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Hummingbird

/// `/cookies`, `/cookies/set`, `/cookies/delete`.
enum CookieRoutes {
    static var routes: [Route] {
        [
            Route("/cookies") { .json(["cookies": .object(cookies(of: $0).mapValues { .string($0) })]) },
            Route("/cookies/set") { request in
                redirect(with: firstValues(request.arguments).map { setCookie($0.name, $0.value, for: request) })
            },
            Route("/cookies/set/{name}/{value}") { request in
                redirect(with: [setCookie(request.text("name"), request.text("value"), for: request)])
            },
            Route("/cookies/delete") { request in
                redirect(
                    with: firstValues(request.arguments).map {
                        "\(safe($0.name))=; Expires=Thu, 01 Jan 1970 00:00:00 GMT; Max-Age=0; Path=/"
                    })
            },
        ]
    }

    /// The cookies of a request, over all its `Cookie` fields; a quoted value without its quotes, the first of a name.
    static func cookies(of request: EchoRequest) -> [String: String] {
        var cookies: [String: String] = [:]
        for field in request.fields[values: .cookie] {
            for pair in pairs(in: field) {
                let halves = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                let name = String(halves[0]).trimmingSpaces()
                var value = halves.count > 1 ? String(halves[1]).trimmingSpaces() : ""
                guard !name.isEmpty else { continue }
                if value.count > 1, value.hasPrefix("\""), value.hasSuffix("\"") {
                    value = String(value.dropFirst().dropLast())
                }
                if cookies[name] == nil { cookies[name] = value }
            }
        }
        return cookies
    }

    static func setCookie(_ name: String, _ value: String, for request: EchoRequest) -> String {
        let attributes = request.scheme == "https" ? "; Secure; Path=/" : "; Path=/"
        return "\(safe(name))=\(safe(value))\(attributes)"
    }

    static func fields(_ cookies: [String]) -> HTTPFields {
        HTTPFields(cookies.map { HTTPField(name: .setCookie, value: $0) })
    }

    private static func redirect(with cookies: [String]) -> Response {
        RedirectRoutes.redirect(to: "/cookies", fields: fields(cookies))
    }

    private static func firstValues(_ arguments: FieldList) -> [FieldList.Field] {
        var names: Set<String> = []
        return arguments.fields.filter { names.insert($0.name).inserted }
    }

    /// Splits at semicolons that are not within quotes.
    private static func pairs(in field: String) -> [Substring] {
        var isQuoted = false
        return field.split { character in
            if character == "\"" { isQuoted.toggle() }
            return character == ";" && !isQuoted
        }
    }

    /// Without the characters that would end the pair or the line.
    private static func safe(_ text: String) -> String {
        String(
            String.UnicodeScalarView(text.unicodeScalars.filter { $0.value >= 0x20 && $0 != ";" && $0.value != 0x7F }))
    }
}
