// SPDX-License-Identifier: Apache-2.0

// A client of GitHub's REST API: keys in snake case, typed errors, paging by links.

import Foundation
import StrataAPI

struct Repository: Decodable, Sendable {
    var fullName: String
    var stargazersCount: Int
}

struct Issue: Decodable, Sendable {
    var number: Int
    var title: String
}

/// What GitHub says when it refuses.
struct GitHubError: APIErrorModel {
    var message: String
    var failure: NetworkClientError?

    private enum CodingKeys: CodingKey { case message }
}

enum State: String { case open, closed, all }

/// GitHub's keys are in snake case.
func snakeCase() -> JSONDecoder {
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    return decoder
}

@API
@JSON(decoder: snakeCase())
@Headers(["Accept": "application/vnd.github+json", "X-GitHub-Api-Version": "2022-11-28", "User-Agent": "strata"])
@ErrorModel(GitHubError.self)
struct GitHubAPI {
    @GET("/repos/{owner}/{name}")
    func repository(owner: String, name: String) async throws -> Repository

    @GET("/repos/{owner}/{name}/issues")
    func issues(owner: String, name: String, state: State = .open, @Query("per_page") count: Int = 30)
        async throws -> NetworkResponse<[Issue]>

    @GET @URL
    func next(_ page: URL) async throws -> NetworkResponse<[Issue]>

    @POST("/repos/{owner}/{name}/issues")
    func open(owner: String, name: String, title: String, body: String?, @Header("Authorization") token: String)
        async throws -> Issue

    @GET("/search/repositories") @ResponseKeyPath("items")
    func search(q: String, sort: String?) async throws -> [Repository]

    @PUT("/user/starred/{owner}/{name}")
    func star(owner: String, name: String, @Header("Authorization") token: String) async throws
}

let github = GitHubAPI(Provider(baseURL: "https://api.github.com"))
do {
    for repository in try await github.search(q: "http client language:swift", sort: "stars").prefix(5) {
        print(repository.fullName, repository.stargazersCount)
    }
    var page = try await github.issues(owner: "apple", name: "swift-http-types", count: 50)
    while true {
        for issue in page.value { print("#\(issue.number)", issue.title) }
        // A link may be relative to the page that it stands on.
        guard let here = page.url, let next = LinkField(of: page.response)["next"],
            let target = URL(string: next.target, relativeTo: URL(string: here))
        else { break }
        page = try await github.next(target)
    }
} catch let error as GitHubError {
    print("GitHub refused:", error.message, error.failure?.response?.status.code ?? 0)
}
