// SPDX-License-Identifier: Apache-2.0

import StrataAPI
import Testing

@API
struct TransactionsAPI {
    @GET("/transactions")
    func getTransactions(merchant: String) async throws -> [Transaction]
    // GET /transactions?merchant=...

    @GET("/group/{id}/users")
    func groupList(id: Int, sort: String) async throws -> [User]
    // GET /group/42/users?sort=...

    @GET("/search")
    func searchUsers(filters: [String: String]) async throws -> [User]
    // GET /search?name=...&age=...

    @GET("/search")
    func searchUsers(keyword: String) async throws -> [User]
    // GET /search?keyword=...

    @GET("/search")
    func searchUsers(q keyword: String) async throws -> [User]
    // GET /search?q=...
}

@API
struct NamedSearchAPI {
    @GET("/search")
    func searchUsers(@Query("q") keyword: String) async throws -> [User]
    // GET /search?q=...
}

@API
struct EncodedSearchAPI {
    @GET("/search")
    func searchUsers(@Query(encoded: true) keyword: String) async throws -> [User]
    // GET /search?keyword=...
}

@API
struct PostedSearchAPI {
    @POST("/search")
    func searchUsers(@Query("q", encoded: true) keyword: String) async throws -> [User]
    // POST /search?q=...
}

extension SeedExample {
    static let queries = [
        SeedExample("S3.18", "a query parameter, encoded once") { lab async throws in
            let api = TransactionsAPI(lab.provider(.json(#"[{"amount": 3}]"#)))
            #expect(try await api.getTransactions(merchant: "a b&c+d/ü") == [Transaction(amount: 3)])
            let request = try lab.request
            #expect(request.method == "GET")
            #expect(request.target == "/transactions?merchant=a%20b%26c%2Bd%2F%C3%BC")
        },
        SeedExample("S3.19", "path and query") { lab async throws in
            let api = TransactionsAPI(lab.provider(.json("[]")))
            #expect(try await api.groupList(id: 42, sort: "desc") == [])
            #expect(try lab.request.target == "/group/42/users?sort=desc")
        },
        SeedExample("S3.20", "a dictionary as query items") { lab async throws in
            let api = TransactionsAPI(lab.provider(.json("[]")))
            #expect(try await api.searchUsers(filters: ["name": "Ada L", "age": "36"]) == [])
            #expect(try lab.request.target == "/search?age=36&name=Ada%20L")
            _ = try await api.searchUsers(filters: ["page[size]": "10"])
            #expect(try lab.request.target == "/search?page%5Bsize%5D=10")
        },
        SeedExample("S3.21", "the label names the item") { lab async throws in
            let api = TransactionsAPI(lab.provider(.json("[]")))
            #expect(try await api.searchUsers(keyword: "ada") == [])
            #expect(try lab.request.target == "/search?keyword=ada")
        },
        SeedExample("S3.22", "an external label names the item") { lab async throws in
            let api = TransactionsAPI(lab.provider(.json("[]")))
            #expect(try await api.searchUsers(q: "ada") == [])
            #expect(try lab.request.target == "/search?q=ada")
        },
        SeedExample("S3.23", "@Query names the item") { lab async throws in
            let api = NamedSearchAPI(lab.provider(.json("[]")))
            #expect(try await api.searchUsers(keyword: "ada") == [])
            #expect(try lab.request.target == "/search?q=ada")
        },
        SeedExample("S3.24", "an encoded query value") { lab async throws in
            let api = EncodedSearchAPI(lab.provider(.json("[]")))
            #expect(try await api.searchUsers(keyword: "a%20b") == [])
            #expect(try lab.request.target == "/search?keyword=a%20b")
        },
        SeedExample("S3.25", "@Query with POST") { lab async throws in
            let api = PostedSearchAPI(lab.provider(.json("[]")))
            #expect(try await api.searchUsers(keyword: "a%20b") == [])
            let request = try lab.request
            #expect(request.method == "POST")
            #expect(request.target == "/search?q=a%20b")
            #expect(request.body.isEmpty)
            #expect(request["Content-Type"] == nil)
        },
    ]
}
