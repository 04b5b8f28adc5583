// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import StrataAPI
import StrataCore
import Testing

@API
struct StreamsAPI {
    @EventStreaming
    @GET("/events/stream")
    func listenEvents(roomID: String) async throws -> AsyncStream<String>
    // GET /events/stream?roomID=...

    @EventStreaming
    @GET("/events/stream")
    func listenEventsThrowing(roomID: String) async throws -> AsyncThrowingStream<String, Error>
    // GET /events/stream?roomID=...
}

/// The five rules of what needs no attribute.
@API
struct InferenceAPI {
    @GET("/rooms/{room}/{seat}")
    func path(room: String, @Path("seat") place: Int) async throws -> String

    @GET("/rooms")
    func query(name: String, floor: Int, isFree: Bool, tags: [String: String]) async throws -> String

    @FormUrlEncoded
    @POST("/rooms")
    func form(name: String, floor: Int, @Field("free") isFree: Bool) async throws -> String

    @PUT("/rooms/{id}")
    func fields(id: Int, user: User, @Query dry: Bool, @Header("X-A") a: String) async throws -> String

    @PATCH("/rooms")
    func body(_ user: User) async throws -> String
}

/// Global interceptors are middleware.
private struct Stamp: NetworkMiddleware {
    let name: HTTPField.Name

    func intercept(_ request: TransportRequest, next: Next) async throws -> TransportResponse {
        var request = request
        request.head.headerFields[name] = "stamped"
        return try await next(request)
    }
}

extension SeedExample {
    static let streams = [
        SeedExample("S3.47", "an AsyncStream of events") { lab async throws in
            let api = StreamsAPI(lab.provider(.events("data: a\n\ndata: b\n\n")))
            var events: [String] = []
            for await event in try await api.listenEvents(roomID: "chat") { events.append(event) }
            #expect(events == ["a", "b"])
            let request = try lab.request
            #expect(request.method == "GET")
            #expect(request.target == "/events/stream?roomID=chat")
            #expect(request["Accept"] == "text/event-stream")
            // What fails before the first event is thrown by the call.
            let failing = StreamsAPI(lab.provider(.status(503)))
            await #expect(throws: NetworkClientError.self) { _ = try await failing.listenEvents(roomID: "chat") }
        },
        SeedExample("S3.48", "an AsyncThrowingStream of events") { lab async throws in
            let api = StreamsAPI(lab.provider(.events("data: a\r\n\r\ndata: b\r\n\r\n")))
            var events: [String] = []
            for try await event in try await api.listenEventsThrowing(roomID: "chat") { events.append(event) }
            #expect(events == ["a", "b"])
            #expect(try lab.request.target == "/events/stream?roomID=chat")
        },
        SeedExample("S3.49", "leaving the loop") { lab async throws in
            let api = StreamsAPI(lab.provider(.events("data: a\n\ndata: b\n\n")))
            var first: String?
            for await event in try await api.listenEvents(roomID: "chat") {
                first = event
                break
            }
            #expect(first == "a")
        },
        SeedExample("S3.50", "the rules of inference") { lab async throws in
            let api = InferenceAPI(lab.provider(.json("ok")))
            #expect(try await api.path(room: "a/b", place: 7) == "ok")
            #expect(try lab.request.target == "/rooms/a%2Fb/7")
            _ = try await api.query(name: "a", floor: 2, isFree: true, tags: ["y": "2", "x": "1"])
            #expect(try lab.request.target == "/rooms?name=a&floor=2&isFree=true&x=1&y=2")
            _ = try await api.form(name: "a b", floor: 2, isFree: false)
            #expect(try lab.request.text == "name=a+b&floor=2&free=false")
            _ = try await api.fields(id: 1, user: .johne, dry: true, a: "1")
            #expect(try lab.request.target == "/rooms/1?dry=true")
            #expect(try lab.request["X-A"] == "1")
            #expect(try lab.request.json == ["user": ["id": "johne", "name": "John"]])
            _ = try await api.body(.johne)
            #expect(try lab.request.json == ["id": "johne", "name": "John"])
            #expect(try lab.request["Content-Type"] == "application/json")
        },
        SeedExample("S3.51", "global interceptors") { lab async throws in
            let client = lab.provider(.json(User.json)).client
            var configuration = client.configuration
            guard let name = HTTPField.Name("X-Stamp") else { return }
            configuration.middleware.insert(Stamp(name: name), at: 0)
            #expect(try await UsersAPI(NetworkClient(configuration: configuration)).getUser(id: "johne") == .johne)
            #expect(try lab.request["x-stamp"] == "stamped")
        },
    ]
}
