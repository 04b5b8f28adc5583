// SPDX-License-Identifier: Apache-2.0

import StrataAPI
import Testing

@API
struct BodiesAPI {
    @POST("/users/new")
    func createUser(_ user: User) async throws -> User
    // POST /users/new (body: User)

    @POST("/items")
    func addItem(item: Item, @Query("notify") notify: Bool) async throws -> Item
    // POST /items?notify=true (body: {"item": Item})
}

@API
struct WholeBodyAPI {
    @POST("/items")
    func addItem(@Body item: Item, @Query("notify") notify: Bool) async throws -> Item
    // POST /items?notify=true (body: Item)
}

@API
struct FieldsAPI {
    @POST("/users/new")
    func createUser(user: User) async throws -> User
    // POST /users/new (body: {"user": User})

    @POST("/users/new")
    func createUser(name: String, id: String) async throws -> User
    // POST /users/new (body: {"name": String, "id": String})
}

@API
struct NamedFieldsAPI {
    @POST("/users/new")
    func createUser(@Field("new_name") name: String, id: String) async throws -> User
    // POST /users/new (body: {"new_name": String, "id": String})
}

@API
struct FormFieldsAPI {
    @POST("/users/new")
    @FormUrlEncoded
    func createUser(@Field("new_name") name: String, id: String) async throws -> User
    // POST /users/new (form body: {"new_name": String, "id": String})
}

extension SeedExample {
    static let bodies = [
        SeedExample("S3.26", "an unlabelled parameter is the body") { lab async throws in
            #expect(try await BodiesAPI(lab.provider(.json(User.json))).createUser(.johne) == .johne)
            let request = try lab.request
            #expect(request.method == "POST")
            #expect(request.target == "/users/new")
            #expect(try request.json == ["id": "johne", "name": "John"])
        },
        SeedExample("S3.27", "a field beside @Query") { lab async throws in
            let item = Item(sku: "x")
            #expect(
                try await BodiesAPI(lab.provider(.json(#"{"sku": "x"}"#))).addItem(item: item, notify: true) == item)
            let request = try lab.request
            #expect(request.method == "POST")
            #expect(request.target == "/items?notify=true")
            #expect(try request.json == ["item": ["sku": "x"]])
        },
        SeedExample("S3.28", "@Body beside @Query") { lab async throws in
            let item = Item(sku: "x")
            #expect(
                try await WholeBodyAPI(lab.provider(.json(#"{"sku": "x"}"#))).addItem(item: item, notify: true) == item)
            let request = try lab.request
            #expect(request.target == "/items?notify=true")
            #expect(try request.json == ["sku": "x"])
        },
    ]

    static let fields = [
        SeedExample("S3.29", "an object as a field") { lab async throws in
            #expect(try await FieldsAPI(lab.provider(.json(User.json))).createUser(user: .johne) == .johne)
            let request = try lab.request
            #expect(request.target == "/users/new")
            #expect(try request.json == ["user": ["id": "johne", "name": "John"]])
        },
        SeedExample("S3.30", "scalars as fields") { lab async throws in
            #expect(try await FieldsAPI(lab.provider(.json(User.json))).createUser(name: "John", id: "johne") == .johne)
            let request = try lab.request
            #expect(request.target == "/users/new")
            #expect(try request.json == ["name": "John", "id": "johne"])
        },
        SeedExample("S3.31", "@Field names the field") { lab async throws in
            let api = NamedFieldsAPI(lab.provider(.json(User.json)))
            #expect(try await api.createUser(name: "John", id: "johne") == .johne)
            #expect(try lab.request.json == ["new_name": "John", "id": "johne"])
        },
        SeedExample("S3.32", "fields as a form") { lab async throws in
            let api = FormFieldsAPI(lab.provider(.json(User.json)))
            #expect(try await api.createUser(name: "John D&D=ü", id: "johne") == .johne)
            let request = try lab.request
            #expect(request.method == "POST")
            #expect(request["Content-Type"] == "application/x-www-form-urlencoded")
            #expect(request.text == "new_name=John+D%26D%3D%C3%BC&id=johne")
        },
    ]
}
