// SPDX-License-Identifier: Apache-2.0

import StrataAPI
import Testing

@API
struct MethodsAPI {
    @GET("/users/list")
    func listUsers() async throws -> [User]
    // GET /users/list

    @POST("/users/new")
    func createUser(_ user: User) async throws -> User
    // POST /users/new (body: User)

    @PUT("/users/{id}")
    func updateUser(id: Int, _ user: User) async throws -> User
    // PUT /users/{id} (body: User)

    @PATCH("/users/{id}")
    func partialUpdateUser(id: Int, _ fields: [String: Any]) async throws -> User
    // PATCH /users/{id} (body: fields)

    @DELETE("/users/{id}")
    func deleteUser(id: Int) async throws -> Void
    // DELETE /users/{id}

    @OPTIONS("/meta")
    func options() async throws -> MetaInfo
    // OPTIONS /meta

    @HEAD("/resource/{id}")
    func checkResource(id: Int) async throws -> HTTPHeaders
    // HEAD /resource/{id}
}

extension SeedExample {
    static let methods = [
        SeedExample("S3.6", "GET") { lab async throws in
            let users = try await MethodsAPI(lab.provider(.json("[\(User.json)]"))).listUsers()
            #expect(users == [.johne])
            let request = try lab.request
            #expect(request.method == "GET")
            #expect(request.target == "/users/list")
            #expect(request["Content-Type"] == nil)
        },
        SeedExample("S3.7", "POST") { lab async throws in
            let user = try await MethodsAPI(lab.provider(.json(User.json))).createUser(.johne)
            #expect(user == .johne)
            let request = try lab.request
            #expect(request.method == "POST")
            #expect(request.target == "/users/new")
            #expect(request["Content-Type"] == "application/json")
            #expect(try request.json == ["id": "johne", "name": "John"])
        },
        SeedExample("S3.8", "PUT with a path parameter and a body") { lab async throws in
            let user = try await MethodsAPI(lab.provider(.json(User.json))).updateUser(id: 7, .johne)
            #expect(user == .johne)
            let request = try lab.request
            #expect(request.method == "PUT")
            #expect(request.target == "/users/7")
            #expect(try request.json == ["id": "johne", "name": "John"])
        },
        SeedExample("S3.9", "PATCH with mixed values") { lab async throws in
            let user = try await MethodsAPI(lab.provider(.json(User.json)))
                .partialUpdateUser(id: 7, ["name": "John", "age": 36, "tags": ["a"], "nick": nil as String? as Any])
            #expect(user == .johne)
            let request = try lab.request
            #expect(request.method == "PATCH")
            #expect(request.target == "/users/7")
            #expect(request["Content-Type"] == "application/json")
            #expect(try request.json == ["name": "John", "age": 36, "tags": ["a"], "nick": nil])
        },
        SeedExample("S3.10", "DELETE waits for the status") { lab async throws in
            let api = MethodsAPI(lab.provider(.status(204)))
            try await api.deleteUser(id: 7)
            let request = try lab.request
            #expect(request.method == "DELETE")
            #expect(request.target == "/users/7")
            // It waits, so that a failure is seen.
            let failing = MethodsAPI(lab.provider(.status(404)))
            let error = await #expect(throws: NetworkClientError.self) { try await failing.deleteUser(id: 7) }
            #expect(error?.code == .unacceptableStatus)
        },
        SeedExample("S3.11", "OPTIONS") { lab async throws in
            let meta = try await MethodsAPI(lab.provider(.json(#"{"version": 2}"#))).options()
            #expect(meta == MetaInfo(version: 2))
            let request = try lab.request
            #expect(request.method == "OPTIONS")
            #expect(request.target == "/meta")
        },
        SeedExample("S3.12", "HEAD gives the fields") { lab async throws in
            let provider = lab.provider(.status(200, fields: [.eTag: "\"abc\"", .contentLength: "1234"]))
            let fields: HTTPHeaders = try await MethodsAPI(provider).checkResource(id: 7)
            #expect(fields[.eTag] == "\"abc\"")
            let request = try lab.request
            #expect(request.method == "HEAD")
            #expect(request.target == "/resource/7")
        },
    ]
}
