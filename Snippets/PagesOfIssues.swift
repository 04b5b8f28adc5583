// SPDX-License-Identifier: Apache-2.0

// A list in pages, each asked for when it is needed; keys in snake case, dates as text.
//
//     swift run PagesOfIssues apple swift-http-types

import Foundation
import Strata

struct Issue: Decodable, Sendable { var number: Int; var title: String; var createdAt: Date }

let arguments = CommandLine.arguments.dropFirst()
let owner = arguments.first ?? "apple"
let name = arguments.dropFirst().first ?? "swift-http-types"

let decoder = JSONDecoder()
decoder.keyDecodingStrategy = .convertFromSnakeCase
decoder.dateDecodingStrategy = .iso8601
let client = NetworkClient(baseURL: "https://api.github.com", decoder: decoder)

let first = NetworkRequest<VoidRequest, [Issue]>(path: "repos/\(owner)/\(name)/issues?per_page=20", method: .get)
for try await page in client.pages(of: first) {
    for issue in page.value { print("#\(issue.number)", issue.title, issue.createdAt) }
}
