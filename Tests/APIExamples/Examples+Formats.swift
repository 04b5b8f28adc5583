// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataAPI
import Testing

@API
struct JSONAPI {
    @POST("/users/new")
    func createUser(_ user: User) async throws -> User
    // POST /users/new (json body: User)

    @JSON
    @POST("/users/new")
    func createUser(id: String, name: String) async throws -> User
    // POST /users/new (json body: {"id": String, "name": String})

    @JSON(encoder: JSONEncoder(), decoder: DynamicContentTypeDecoder())
    @POST("/data")
    func createData(user: User) async throws -> User
    // POST /data (json body: {"user": User})
}

@API
struct FormAPI {
    @FormUrlEncoded
    @POST("/user/edit")
    func updateUser(firstName: String, lastName: String) async throws -> User
    // POST /user/edit (form body: firstName=...&lastName=...)

    @FormUrlEncoded(encoder: URLEncodedFormEncoder(), decoder: JSONDecoder())
    @POST("/form")
    func submitForm(data: FormData) async throws
    // POST /form (form body: ...=...&....=...&...=...)
}

@API
struct NamedFormAPI {
    @FormUrlEncoded
    @POST("/user/edit")
    func updateUser(@Field("first") firstName: String, @Field("last") lastName: String) async throws -> User
    // POST /user/edit (form body: first=...&last=...)
}

@API
struct MultipartAPI {
    @Multipart
    @PUT("/user/photo")
    func updateUser(
        @Part(name: "photo", filename: "avatar.jpg", mimeType: "image/jpeg") photo: Data,
        @Part(name: "desc") description: String
    ) async throws -> User
    // PUT /user/photo (multipart: photo, description)

    @Multipart(encoder: MultipartEncoder(), decoder: JSONDecoder())
    @POST("/upload")
    func uploadFile(file: URL, meta: [String: String]) async throws -> UploadResponse
    // POST /upload (multipart: file,meta)
}

extension SeedExample {
    static let formats = [
        SeedExample("S3.33", "JSON by default") { lab async throws in
            #expect(try await JSONAPI(lab.provider(.json(User.json))).createUser(.johne) == .johne)
            let request = try lab.request
            #expect(request["Content-Type"] == "application/json")
            #expect(try request.json == ["id": "johne", "name": "John"])
        },
        SeedExample("S3.34", "@JSON") { lab async throws in
            #expect(try await JSONAPI(lab.provider(.json(User.json))).createUser(id: "johne", name: "John") == .johne)
            let request = try lab.request
            #expect(request["Content-Type"] == "application/json")
            #expect(try request.json == ["id": "johne", "name": "John"])
        },
        SeedExample("S3.35", "@JSON with coders") { lab async throws in
            #expect(try await JSONAPI(lab.provider(.json(User.json))).createData(user: .johne) == .johne)
            let request = try lab.request
            #expect(request.target == "/data")
            #expect(request["Content-Type"] == "application/json")
            #expect(try request.json == ["user": ["id": "johne", "name": "John"]])
        },
        SeedExample("S3.36", "@FormUrlEncoded") { lab async throws in
            let api = FormAPI(lab.provider(.json(User.json)))
            #expect(try await api.updateUser(firstName: "J&n=", lastName: "D +%") == .johne)
            let request = try lab.request
            #expect(request.method == "POST")
            #expect(request.target == "/user/edit")
            #expect(request["Content-Type"] == "application/x-www-form-urlencoded")
            #expect(request.text == "firstName=J%26n%3D&lastName=D+%2B%25")
        },
        SeedExample("S3.37", "@FormUrlEncoded with names") { lab async throws in
            let api = NamedFormAPI(lab.provider(.json(User.json)))
            #expect(try await api.updateUser(firstName: "John", lastName: "Doe") == .johne)
            #expect(try lab.request.text == "first=John&last=Doe")
        },
        SeedExample("S3.38", "an object as a form") { lab async throws in
            let api = FormAPI(lab.provider(.status(200)))
            try await api.submitForm(data: FormData(title: "a b", count: 3, note: "ü"))
            let request = try lab.request
            #expect(request.method == "POST")
            #expect(request.target == "/form")
            #expect(request["Content-Type"] == "application/x-www-form-urlencoded")
            #expect(request.text == "title=a+b&count=3&note=%C3%BC")
            let failing = FormAPI(lab.provider(.status(500)))
            await #expect(throws: NetworkClientError.self) {
                try await failing.submitForm(data: FormData(title: "", count: 0, note: ""))
            }
        },
        SeedExample("S3.39", "@Multipart") { lab async throws in
            let api = MultipartAPI(lab.provider(.json(User.json)))
            #expect(try await api.updateUser(photo: Data([0xff, 0xd8, 0x0d, 0x0a]), description: "me") == .johne)
            let request = try lab.request
            #expect(request.method == "PUT")
            #expect(request.target == "/user/photo")
            let parts = try request.parts
            #expect(parts.count == 2)
            #expect(parts.first?.disposition == #"form-data; name="photo"; filename="avatar.jpg""#)
            #expect(parts.first?.contentType == "image/jpeg")
            #expect(parts.first?.body == Data([0xff, 0xd8, 0x0d, 0x0a]))
            #expect(parts.last?.disposition == #"form-data; name="desc""#)
            #expect(parts.last?.body == Data("me".utf8))
        },
        SeedExample("S3.40", "@Multipart with a file and an object") { lab async throws in
            let file = FileManager.default.temporaryDirectory.appendingPathComponent("S3.40-\(UUID()).txt")
            try Data("file's text".utf8).write(to: file)
            defer { try? FileManager.default.removeItem(at: file) }
            let api = MultipartAPI(lab.provider(.json(#"{"size": 11}"#)))
            #expect(try await api.uploadFile(file: file, meta: ["b": "2", "a": "1"]) == UploadResponse(size: 11))
            let request = try lab.request
            #expect(request.method == "POST")
            #expect(request.target == "/upload")
            let parts = try request.parts
            #expect(parts.count == 2)
            #expect(parts.first?.disposition == #"form-data; name="file"; filename="\#(file.lastPathComponent)""#)
            #expect(parts.first?.contentType == "text/plain")
            #expect(parts.first?.body == Data("file's text".utf8))
            #expect(parts.last?.disposition == #"form-data; name="meta""#)
            #expect(parts.last?.contentType == "application/json")
            #expect(try JSONValue(parsing: parts.last?.body ?? Data()) == ["a": "1", "b": "2"])
        },
    ]
}
