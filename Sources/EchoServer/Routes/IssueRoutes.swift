// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Hummingbird

/// `/repos/{owner}/{name}/issues`: three issues in GitHub's JSON, on pages of `?per_page=` (30) that `Link` (RFC 8288) leads
/// through. Each page has an `ETag`, and has to be asked for anew.
enum IssueRoutes {
    static var routes: [Route] {
        [Route("/repos/{owner}/{name}/issues", handler: page)]
    }

    private static let titles = [(3, "Third"), (2, "Second"), (1, "First")]

    private static func page(_ request: EchoRequest) throws -> Response {
        let size = request.arguments.number("per_page") ?? 30
        let number = request.arguments.number("page") ?? 1
        guard (1...100).contains(size), (1...100).contains(number) else {
            throw HTTPError(.badRequest, message: "`per_page` and `page` are in 1...100.")
        }
        let tag = "issues-\(size)-\(number)"
        var fields: HTTPFields = [.eTag: "\"\(tag)\"", .cacheControl: "no-cache"]
        let known = CachingRoutes.entityTags(request.fields[.ifNoneMatch])
        if known.contains(tag) || known.contains("*") { return .empty(.notModified, fields: fields) }

        let last = (titles.count + size - 1) / size
        if number < last {
            let links = [("next", number + 1), ("last", last)].map { name, page in
                "<\(request.url(of: request.target.path))?per_page=\(size)&page=\(page)>; rel=\"\(name)\""
            }
            fields[.link] = links.joined(separator: ", ")
        }
        let issues = titles.dropFirst((number - 1) * size).prefix(size).map { number, title -> JSONValue in
            ["number": .int(number), "title": .string(title), "created_at": .string("2026-01-0\(number)T00:00:00Z")]
        }
        return .json(.array(issues), fields: fields)
    }
}
