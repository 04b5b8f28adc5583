// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Hummingbird

/// `/status/{codes}`: one code, or several with weights (`200:3,503:1`) of which one is drawn.
enum StatusRoutes {
    static var routes: [Route] {
        [
            Route("/status/{codes}", .httpbin) { request in
                let choices = request.text("codes").split(separator: ",", omittingEmptySubsequences: false).map(choice)
                guard let status = draw(from: choices) else { return .text("Invalid status code", status: .badRequest) }
                return response(status)
            }
        ]
    }

    /// The answer that httpbin gives with that status.
    static func response(_ code: Int) -> Response {
        let status = HTTPResponse.Status(code: code)
        switch code {
        case 301, 302, 303, 305, 307: return .empty(status, fields: [.location: "/redirect/1"])
        case 401: return .empty(status, fields: [.wwwAuthenticate: #"Basic realm="Fake Realm""#])
        case 406: return .json(notAcceptable, status: status)
        case 407: return .empty(status, fields: [.proxyAuthenticate: #"Basic realm="Fake Realm""#])
        case 418:
            var response = Response.text(teapot, status: status)
            response.headers[.moreInfo] = "http://tools.ietf.org/html/rfc2324"
            return response
        case 204, 304:
            // No length: RFC 9110 §8.6 forbids it in 204, and in 304 it would be that of another body.
            var response = Response.empty(status)
            response.headers[.contentLength] = nil
            return response
        default: return .empty(status)
        }
    }

    /// A final status and its weight. Informational codes are none: a response cannot end with one.
    private static func choice(_ text: Substring) -> (code: Int, weight: Double)? {
        let halves = text.split(separator: ":", maxSplits: 1)
        guard let code = halves.first.flatMap({ Int($0) }), (200...999).contains(code) else { return nil }
        guard halves.count > 1 else { return (code, 1) }
        guard let weight = Double(halves[1]), weight >= 0, weight.isFinite else { return nil }
        return (code, weight)
    }

    private static func draw(from choices: [(code: Int, weight: Double)?]) -> Int? {
        let valid = choices.compactMap { $0 }
        guard valid.count == choices.count, let last = valid.last else { return nil }
        let total = valid.reduce(0) { $0 + $1.weight }
        guard total > 0, total.isFinite else { return nil }
        var rest = Double.random(in: 0..<total)
        for choice in valid {
            if rest < choice.weight { return choice.code }
            rest -= choice.weight
        }
        return last.code
    }

    private static let notAcceptable: JSONValue = [
        "message": "Client did not request a supported media type.",
        "accept": ["image/webp", "image/svg+xml", "image/jpeg", "image/png", "image/*"],
    ]

    private static let teapot = #"""

            -=[ teapot ]=-

               _...._
             .'  _ _ `.
            | ."` ^ `". _,
            \_;`"---"`|//
              |       ;/
              \_     _/
                `"""`

        """#
}
