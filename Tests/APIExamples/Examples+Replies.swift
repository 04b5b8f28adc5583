// SPDX-License-Identifier: Apache-2.0

import StrataAPI
import Testing

@API
struct StaticHeadersAPI {
    @Headers([
        "Cache-Control": "max-age=640000",
        "Accept": "application/vnd.github.v3.full+json",
    ])
    @GET("/users/{username}")
    func getUser(username: String) async throws -> User
    // GET /users/johne
}

@API
struct DynamicHeadersAPI {
    @GET("/user")
    func getUser(@Header("Authorization") token: String) async throws -> User
    // GET /user (header: {"Authorization": ...})

    @GET("/user")
    func getUser(@HeaderMap headers: [String: String]) async throws -> User
    // GET /user (header {...})
}

@API
struct KeyPathAPI {
    @GET("/users")
    @ResponseKeyPath("data.list")
    func listUsers() async throws -> [User]
    // GET /users (response key path: data.list)
}

@API
struct TuplesAPI {
    @GET("/user")
    func getUser(id: Int) async throws -> (id: String, name: String)
    // GET /user?id=...

    @GET("/users")
    func getUserList() async throws -> (list: [(id: String, name: String)], count: Int)
    // GET /users
}

extension SeedExample {
    static let headers = [
        SeedExample("S3.41", "fixed fields") { lab async throws in
            #expect(try await StaticHeadersAPI(lab.provider(.json(User.json))).getUser(username: "johne") == .johne)
            let request = try lab.request
            #expect(request.method == "GET")
            #expect(request.target == "/users/johne")
            #expect(request["cache-control"] == "max-age=640000")
            #expect(request["accept"] == "application/vnd.github.v3.full+json")
        },
        SeedExample("S3.42", "@Header") { lab async throws in
            #expect(try await DynamicHeadersAPI(lab.provider(.json(User.json))).getUser(token: "Bearer x") == .johne)
            let request = try lab.request
            #expect(request.target == "/user")
            #expect(request["authorization"] == "Bearer x")
        },
        SeedExample("S3.43", "@HeaderMap") { lab async throws in
            let api = DynamicHeadersAPI(lab.provider(.json(User.json)))
            #expect(try await api.getUser(headers: ["X-One": "1", "X-Two": "2"]) == .johne)
            let request = try lab.request
            #expect(request.target == "/user")
            #expect(request["x-one"] == "1")
            #expect(request["x-two"] == "2")
        },
    ]

    static let replies = [
        SeedExample("S3.44", "@ResponseKeyPath") { lab async throws in
            let api = KeyPathAPI(lab.provider(.json(#"{"data": {"list": [\#(User.json)], "n": 1}}"#)))
            #expect(try await api.listUsers() == [.johne])
            #expect(try lab.request.target == "/users")
        },
        SeedExample("S3.45", "a tuple") { lab async throws in
            let user = try await TuplesAPI(lab.provider(.json(User.json))).getUser(id: 7)
            #expect(user == (id: "johne", name: "John"))
            #expect(try lab.request.target == "/user?id=7")
        },
        SeedExample("S3.46", "tuples in a tuple") { lab async throws in
            let reply = #"{"count": 2, "list": [\#(User.json), {"name": "Ada", "id": "ada"}]}"#
            let (list, count) = try await TuplesAPI(lab.provider(.json(reply))).getUserList()
            #expect(count == 2)
            #expect(list.map(\.id) == ["johne", "ada"])
            #expect(list.map(\.name) == ["John", "Ada"])
            #expect(try lab.request.target == "/users")
        },
    ]
}
