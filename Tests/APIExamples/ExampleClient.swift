// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataAPI
import Testing

// The declarations of the followed library's example client, by their shapes, beside the numbered examples.

@API
struct ParameterShapes {
    @GET("/group/{id}/users")
    func groupList(id: Int?, sort: String) async throws -> [User]

    @GET("/search")
    func searchUsers(@Query("q") keyword: String, two: Int?) async throws -> [User]

    @POST("/search")
    func saveSearch(@Query(encoded: true) keyword: String) async throws -> [User]

    @POST("/items")
    func addItem(@Body item: Item, @Query notify: Bool = true) async throws -> Item
}

@API
struct CoderShapes {
    /// `FormEncoder` is a value: an encoder of one's own wraps it.
    struct MyURLEncodedFormEncoder: RequestBodyEncoder {
        func encodeBody<Model: Encodable>(_ model: Model) throws -> EncodedBody {
            try URLEncodedFormEncoder(FormOptions(order: .sorted)).encodeBody(model)
        }
    }

    final class MyJSONDecoder: JSONDecoder, @unchecked Sendable {}  // adds nothing to what it inherits from

    @FormUrlEncoded
    @POST("/user/edit")
    func updateUser(@Field("first") firstName: String, @Field("last") lastName: String?) async throws -> User

    @FormUrlEncoded(encoder: MyURLEncodedFormEncoder(), decoder: MyJSONDecoder())
    @POST("/form")
    func submitForm(data: FormData) async throws -> User
}

@API
@Multipart
struct MultipartShapes {
    @Multipart
    @PUT("/user/photo")
    func updateUser(
        @Part(name: "photoName", filename: "avatar.jpg", mimeType: "image/jpeg") photo: Data,
        @Part(name: "desc") description: String
    ) async throws -> User

    @PUT("/user/photo")
    func updatePhoto(photo: Data, description: String) async throws -> User

    @Multipart(encoder: MultipartEncoder(boundary: "shape"), decoder: DynamicContentTypeDecoder())
    @POST("/upload")
    func uploadFile(file: Data) async throws

    @JSON
    @PUT("/user/name")
    func rename(name: String) async throws -> User
}

@API
@Headers(["Cache-Control": "max-age=60"])
struct HeaderShapes {
    static let varHeaders = ["Cache-Control": "no-cache", "Accept": "application/vnd.example+json"]

    @Headers(HeaderShapes.varHeaders)
    @GET("/users/{username}")
    func getUser(username: String) async throws -> User

    @GET("/user")
    func getUser(@Header("Authorization") token: String?) async throws -> User

    @GET("/user")
    func findUser(@Header token: String, @Header name: String, age: Int?) async throws -> User

    @GET("/user")
    func getUser(@HeaderMap headers: [String: String]?) async throws -> User
}

@API
struct TupleShapes {
    @GET("/profile")
    func profile() async throws -> (id: String, username: String, email: String)

    @GET("/order")
    func order() async throws -> (orderId: String, user: (id: String, name: String), itemsCount: Int)

    @GET("/orders")
    func orders() async throws -> (orders: [(orderId: String, total: Double)], totalCount: Int)

    @GET("/company/{id}")
    func company(id: String) async throws -> (
        companyId: String, name: String,
        departments: [(depId: String, depName: String, members: [(memberId: String, memberName: String)])]
    )

    @GET("/school")
    func school() async throws -> (
        schoolId: String, name: String, address: (street: String, city: String),
        classes: [(
            classId: String, teacher: (teacherId: String, teacherName: String),
            students: [(stuId: String, stuName: String)]
        )]
    )

    @GET("/product")
    func product() async throws -> (
        productId: String, title: String, category: (catId: String, catName: String?),
        reviews: [(reviewId: String, rating: Int, comment: String?)]
    )

    @GET("/matrix")
    func matrix() async throws -> (
        pages: [(index: Int, rows: [(rowId: String, cells: [(cellId: String, value: String)])])], count: Int
    )
}

@API
struct StreamShapes {
    final class MyEventStreamingEncoder: JSONEncoder, @unchecked Sendable {}  // adds nothing to what it inherits from

    /// `PlainTextDecoder` is a value, too.
    struct MyEventStreamingDecoder: ResponseBodyDecoder {
        var acceptedContentTypes: [String] { ["text/plain"] }

        func decode<Model: Decodable>(_ type: Model.Type, from data: Data, response: HTTPResponse) throws -> Model {
            try PlainTextDecoder().decode(type, from: data, response: response)
        }
    }

    @EventStreaming(encoder: MyEventStreamingEncoder(), decoder: MyEventStreamingDecoder())
    @GET("/events/stream")
    func listenEvents(roomID: String) async throws -> AsyncThrowingStream<String, Error>

    @EventStreaming(encoder: MyEventStreamingEncoder(), decoder: MyEventStreamingDecoder())
    @POST("/events/numbers")
    func listenNumbers(roomID: String) async throws -> AsyncThrowingStream<Int, Error>
}

/// What some of these declarations send, and what comes back.
package struct ExampleClient: Sendable, CustomStringConvertible {
    package let description: String
    package let run: @Sendable (Lab) async throws -> Void

    private init(_ description: String, _ run: @escaping @Sendable (Lab) async throws -> Void) {
        self.description = description
        self.run = run
    }

    package static let all = [
        ExampleClient("optional parameters and defaults") { lab async throws in
            let users = ParameterShapes(lab.provider(.json("[]")))
            #expect(try await users.groupList(id: 42, sort: "desc") == [])
            #expect(try lab.request.target == "/group/42/users?sort=desc")
            #expect(try await users.searchUsers(keyword: "a b", two: nil) == [])
            #expect(try lab.request.target == "/search?q=a%20b")
            #expect(try await users.saveSearch(keyword: "a%20b") == [])
            #expect(try lab.request.method == "POST")
            #expect(try lab.request.target == "/search?keyword=a%20b")
            let items = ParameterShapes(lab.provider(.json(#"{"sku": "x"}"#)))
            #expect(try await items.addItem(item: Item(sku: "x")) == Item(sku: "x"))
            #expect(try lab.request.target == "/items?notify=true")
        },
        ExampleClient("coders of one's own in the type") { lab async throws in
            let api = CoderShapes(lab.provider(.json(User.json)))
            #expect(try await api.updateUser(firstName: "John", lastName: nil) == .johne)
            #expect(try lab.request.text == "first=John")
            #expect(try await api.submitForm(data: FormData(title: "a b", count: 3, note: "ü")) == .johne)
            #expect(try lab.request["Content-Type"] == "application/x-www-form-urlencoded")
            #expect(try lab.request.text == "count=3&note=%C3%BC&title=a+b")
        },
        ExampleClient("the format of a type, and of a function") { lab async throws in
            let api = MultipartShapes(lab.provider(.json(User.json)))
            #expect(try await api.updatePhoto(photo: Data([0xff]), description: "me") == .johne)
            let parts = try lab.request.parts
            #expect(parts.map(\.body) == [Data([0xff]), Data("me".utf8)])
            #expect(parts.first?.disposition?.hasPrefix(#"form-data; name="photo""#) == true)
            try await api.uploadFile(file: Data([1]))
            #expect(try lab.request["Content-Type"] == "multipart/form-data; boundary=shape")
            #expect(try await api.rename(name: "John") == .johne)
            #expect(try lab.request.json == ["name": "John"])
        },
        ExampleClient("fields from an expression, and by the parameters' names") { lab async throws in
            let api = HeaderShapes(lab.provider(.json(User.json)))
            #expect(try await api.getUser(username: "johne") == .johne)
            #expect(try lab.request["Cache-Control"] == "no-cache")
            #expect(try lab.request["Accept"] == "application/vnd.example+json")
            #expect(try await api.findUser(token: "t", name: "n", age: nil) == .johne)
            #expect(try lab.request.target == "/user")
            #expect(try lab.request["token"] == "t")
            #expect(try lab.request["name"] == "n")
            #expect(try lab.request["Cache-Control"] == "max-age=60")
            #expect(try await api.getUser(headers: nil) == .johne)
            #expect(try lab.request["token"] == nil)
        },
        ExampleClient("tuples of three levels") { lab async throws in
            let reply = """
                {"companyId": "c", "name": "C", "departments": [
                    {"depId": "d", "depName": "D", "members": [{"memberId": "m", "memberName": "M"}]}
                ]}
                """
            let company = try await TupleShapes(lab.provider(.json(reply))).company(id: "c")
            #expect(try lab.request.target == "/company/c")
            #expect(company.departments.map(\.depName) == ["D"])
            #expect(company.departments.flatMap(\.members).map(\.memberName) == ["M"])
        },
        ExampleClient("tuples of four levels") { lab async throws in
            let reply = """
                {"count": 1, "pages": [{"index": 7, "rows": [
                    {"rowId": "r", "cells": [{"cellId": "c", "value": "v"}, {"cellId": "d", "value": "w"}]}
                ]}]}
                """
            let matrix = try await TupleShapes(lab.provider(.json(reply))).matrix()
            #expect(matrix.count == 1)
            #expect(matrix.pages.map(\.index) == [7])
            #expect(matrix.pages.flatMap(\.rows).flatMap(\.cells).map(\.value) == ["v", "w"])
        },
        ExampleClient("elements of tuples that are not there") { lab async throws in
            let reply = """
                {"productId": "p", "title": "P", "category": {"catId": "c"},
                 "reviews": [{"reviewId": "r", "rating": 5}, {"reviewId": "s", "rating": 1, "comment": "no"}]}
                """
            let product = try await TupleShapes(lab.provider(.json(reply))).product()
            #expect(product.category.catName == nil)
            #expect(product.reviews.map(\.comment) == [nil, "no"])
        },
        ExampleClient("a stream with coders of its own") { lab async throws in
            let api = StreamShapes(lab.provider(.events("data: 1\n\ndata: 2\n\n")))
            var numbers: [Int] = []
            for try await number in try await api.listenNumbers(roomID: "chat") { numbers.append(number) }
            #expect(numbers == [1, 2])
            #expect(try lab.request.json == ["roomID": "chat"])
            var texts: [String] = []
            for try await text in try await api.listenEvents(roomID: "chat") { texts.append(text) }
            #expect(texts == ["1", "2"])
            #expect(try lab.request.target == "/events/stream?roomID=chat")
        },
    ]
}
