// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import StrataCore
import StrataEncoding
public import Testing

/// The examples of the MicroClient document, S2.1 to S2.9, each a check that runs over any transport.
///
/// What is sent goes to a server that answers with what it was asked, as httpbin's `/anything` does; `base` is a URL below that
/// route. What is expected is read off the answer, so that the wire and the decoded value are tested together.
public struct MicroClientSeed: Sendable, CustomTestStringConvertible {
    public let name: String
    public let check: @Sendable (_ transport: any NetworkTransport, _ base: URL) async throws -> Void

    public var testDescription: String { name }

    public static let all: [MicroClientSeed] = [
        .init(
            name: "S2_1_aClientIsMadeFromItsConfigurationAndRuns", check: S2_1_aClientIsMadeFromItsConfigurationAndRuns),
        .init(name: "S2_2_aRequestHasTwoModels", check: S2_2_aRequestHasTwoModels),
        .init(name: "S2_3_aResponseHasTheValueAndTheHead", check: S2_3_aResponseHasTheValueAndTheHead),
        .init(
            name: "S2_4_theInterceptorRunsRightBeforeTheRequest", check: S2_4_theInterceptorRunsRightBeforeTheRequest),
        .init(name: "S2_5_bookmarks", check: S2_5_bookmarks),
        .init(name: "S2_6_everyPropertyOverridesTheConfiguration", check: S2_6_everyPropertyOverridesTheConfiguration),
        .init(name: "S2_7_aFactoryMakesRequests", check: S2_7_aFactoryMakesRequests),
        .init(name: "S2_8_formItemsAndBytes", check: S2_8_formItemsAndBytes),
        .init(name: "S2_9_aRequestsCodersAndFieldsWin", check: S2_9_aRequestsCodersAndFieldsWin),
    ]
}

// MARK: Models

/// What the server saw.
private struct PostsResponse: Decodable {
    var method: String
    var url: String
    var args: [String: String]
    var headers: [String: String]
    var data: String
    var form: [String: String]
    var json: Post?

    var target: String { String(url.drop { $0 != ":" }.dropFirst(3).drop { $0 != "/" }) }

    /// A field's value, by its name in any case.
    func header(_ name: String) -> String? {
        headers.first { $0.key.lowercased() == name.lowercased() }?.value
    }
}

private struct Post: Codable, Equatable {
    var title: String
    var createdAt: Date?
}

private enum PostsAPIFactory {
    static func makeBookmarksRequest() -> NetworkRequest<VoidRequest, PostsResponse> {
        NetworkRequest(path: "/posts/bookmarks", method: .get)
    }
}

private func makeConfiguration(_ transport: any NetworkTransport, _ base: URL) -> NetworkConfiguration {
    NetworkConfiguration(
        baseURL: base, transport: transport, defaultEncoder: JSONEncoder(), defaultDecoder: JSONDecoder())
}

private func makeClient(_ transport: any NetworkTransport, _ base: URL) -> NetworkClient {
    NetworkClient(configuration: makeConfiguration(transport, base))
}

// MARK: Checks

private func S2_1_aClientIsMadeFromItsConfigurationAndRuns(_ transport: any NetworkTransport, _ base: URL) async throws
{
    func bookmarks<Client: NetworkClientProtocol>(
        with type: Client.Type
    ) async throws -> NetworkResponse<PostsResponse> {
        let client = Client(configuration: makeConfiguration(transport, base))
        return try await client.run(PostsAPIFactory.makeBookmarksRequest())
    }
    let response = try await bookmarks(with: NetworkClient.self)
    #expect(response.value.method == "GET")
    #expect(response.value.target == base.path() + "/posts/bookmarks")
}

private func S2_2_aRequestHasTwoModels(_ transport: any NetworkTransport, _ base: URL) async throws {
    let request = NetworkRequest<Post, PostsResponse>(path: "/posts", method: .post, body: Post(title: "é + \"q\""))
    let seen = try await makeClient(transport, base).run(request).value
    #expect(seen.method == "POST")
    #expect(seen.target == base.path() + "/posts")
    #expect(seen.json == Post(title: "é + \"q\""))
    #expect(seen.header("Content-Type") == "application/json")
    #expect(seen.header("Accept") == "application/json")
}

private func S2_3_aResponseHasTheValueAndTheHead(_ transport: any NetworkTransport, _ base: URL) async throws {
    let response = try await makeClient(transport, base).run(PostsAPIFactory.makeBookmarksRequest())
    #expect(response.value.method == "GET")
    #expect(response.response.status == .ok)
    #expect(response.response.headerFields[.contentType]?.hasPrefix("application/json") == true)
    #expect(response.url == base.absoluteString + "/posts/bookmarks")
}

private func S2_4_theInterceptorRunsRightBeforeTheRequest(_ transport: any NetworkTransport, _ base: URL) async throws {
    var configuration = makeConfiguration(transport, base)
    configuration.interceptor = { request in
        var request = request
        request.head.headerFields[.authorization] = "Bearer token"
        request.head.headerFields[.accept] = "text/x-intercepted, application/json"
        return request
    }
    let client = NetworkClient(configuration: configuration)
    let seen = try await client.run(PostsAPIFactory.makeBookmarksRequest()).value
    #expect(seen.header("Authorization") == "Bearer token")
    #expect(seen.header("Accept") == "text/x-intercepted, application/json")
}

private func S2_5_bookmarks(_ transport: any NetworkTransport, _ base: URL) async throws {
    let request = NetworkRequest<VoidRequest, PostsResponse>(
        path: "/posts/bookmarks",
        method: .get
    )
    let seen = try await makeClient(transport, base).run(request).value
    #expect(seen.method == "GET")
    #expect(seen.target == base.path() + "/posts/bookmarks")
    #expect(seen.data == "" && seen.form.isEmpty && seen.args.isEmpty)
    #expect(seen.header("Content-Type") == nil)
    #expect(seen.header("Content-Length") == nil)
}

private func S2_6_everyPropertyOverridesTheConfiguration(_ transport: any NetworkTransport, _ base: URL) async throws {
    let encoder = JSONEncoder()
    encoder.dateEncodingStrategy = .iso8601
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .iso8601
    let post = Post(title: "Hello", createdAt: Date(timeIntervalSince1970: 86_400))
    let request = NetworkRequest<Post, PostsResponse>(
        path: "/search",
        method: .put,
        queryItems: [
            URLQueryItem(name: "q", value: "a+b & c"), URLQueryItem(name: "none", value: nil),
            URLQueryItem(name: "empty", value: ""),
        ],
        formItems: nil,
        baseURL: base.appending(path: "other"),
        body: post,
        decoder: decoder,
        encoder: encoder,
        additionalHeaders: ["X-Custom": "1"]
    )
    let seen = try await makeClient(transport, base).run(request).value
    #expect(seen.method == "PUT")
    #expect(seen.target.prefix { $0 != "?" } == base.path() + "/other/search")
    #expect(seen.args == ["q": "a+b & c", "empty": ""])
    #expect(seen.data.contains("1970-01-02T00:00:00Z"))
    #expect(seen.json == post)
    #expect(seen.header("X-Custom") == "1")
}

private func S2_7_aFactoryMakesRequests(_ transport: any NetworkTransport, _ base: URL) async throws {
    let client = makeClient(transport, base)
    let bookmarksRequest = PostsAPIFactory.makeBookmarksRequest()
    let bookmarksResponse = try await client.run(bookmarksRequest)
    #expect(bookmarksResponse.value.target == base.path() + "/posts/bookmarks")
}

private func S2_8_formItemsAndBytes(_ transport: any NetworkTransport, _ base: URL) async throws {
    let client = makeClient(transport, base)
    let form = NetworkRequest<Post, PostsResponse>(
        path: "/login", method: .post,
        formItems: [
            URLFormItem(name: "user", value: "a b"), URLFormItem(name: "none", value: nil),
            URLFormItem(name: "key", value: "1+1=2&é"),
        ],
        body: Post(title: "loses"))
    let login = try await client.run(form).value
    #expect(login.form == ["user": "a b", "key": "1+1=2&é"])
    #expect(login.header("Content-Type") == "application/x-www-form-urlencoded")

    let multipart = "--x\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n1\r\n--x--\r\n"
    let bytes = NetworkRequest<Data, PostsResponse>(
        path: "/upload", method: .post, body: Data("as it is".utf8), additionalHeaders: ["Content-Type": "text/x-raw"])
    let upload = try await client.run(bytes).value
    #expect(upload.data == "as it is")
    #expect(upload.header("Content-Type") == "text/x-raw")
    #expect(upload.header("Content-Length") == "8")

    let photo = NetworkRequest<Data, PostsResponse>(
        path: "/photo", method: .post, body: Data(multipart.utf8),
        additionalHeaders: ["Content-Type": "multipart/form-data; boundary=x"])
    #expect(try await client.run(photo).value.form == ["a": "1"])
}

private func S2_9_aRequestsCodersAndFieldsWin(_ transport: any NetworkTransport, _ base: URL) async throws {
    var configuration = makeConfiguration(transport, base)
    configuration.defaultFields[.acceptLanguage] = "en"
    configuration.defaultFields[.userAgent] = "Configuration/1"
    let encoder = JSONEncoder()
    encoder.dateEncodingStrategy = .secondsSince1970
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .secondsSince1970
    let request = NetworkRequest<Post, PostsResponse>(
        path: "/posts", method: .patch, baseURL: base.appending(path: "v4"),
        body: Post(title: "t", createdAt: Date(timeIntervalSince1970: 12)), decoder: decoder, encoder: encoder,
        additionalHeaders: ["accept-language": "eo", "Content-Type": "application/merge-patch+json"])
    let seen = try await NetworkClient(configuration: configuration).run(request).value
    #expect(seen.target == base.path() + "/v4/posts")
    #expect(seen.json?.createdAt == Date(timeIntervalSince1970: 12))
    #expect(seen.data.contains("12") && !seen.data.contains("-978"))
    #expect(seen.header("Accept-Language") == "eo")
    #expect(seen.header("User-Agent") == "Configuration/1")
    #expect(seen.header("Content-Type") == "application/merge-patch+json")
}
