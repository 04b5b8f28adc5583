// SPDX-License-Identifier: Apache-2.0

import StrataAPI
import Testing

@API
@Headers(["token": "Bearer JWT_TOKEN"])
struct UsersAPI {
    @GET("/user")
    func getUser(@Query("identifier") id: String) async throws -> User
    // GET /user?identifier=...

    @POST("/user")
    func createUser(email: String, password: String) async throws -> (id: String, name: String)
    // POST /user (body: {"email": String, "password": String}})

    @GET("/users/{username}/todos")
    func getTodos(username: String) async throws -> [Todo]
    // GET /users/johne/todos

    @POST("/chat/completions")
    @EventStreaming
    @Headers(["Authorization": "Bearer ..."])
    func completions(model: String, messages: [Message], stream: Bool = true) async throws -> AsyncStream<String>
}

extension SeedExample {
    static let introduction = [
        SeedExample("S3.1", "a query parameter with another name") { lab async throws in
            let user = try await UsersAPI(lab.provider(.json(User.json))).getUser(id: "johne")
            #expect(user == .johne)
            let request = try lab.request
            #expect(request.method == "GET")
            #expect(request.target == "/user?identifier=johne")
            #expect(request["token"] == "Bearer JWT_TOKEN")
            #expect(request["Content-Type"] == nil)
            #expect(request.body.isEmpty)
        },
        SeedExample("S3.2", "fields in, a tuple out") { lab async throws in
            let user = try await UsersAPI(lab.provider(.json(User.json))).createUser(
                email: "j@example.com", password: "s&e=c")
            #expect(user.id == "johne")
            #expect(user.name == "John")
            let request = try lab.request
            #expect(request.method == "POST")
            #expect(request.target == "/user")
            #expect(request["token"] == "Bearer JWT_TOKEN")
            #expect(request["Content-Type"] == "application/json")
            #expect(try request.json == ["email": "j@example.com", "password": "s&e=c"])
        },
        SeedExample("S3.3", "a path parameter") { lab async throws in
            let todos = try await UsersAPI(lab.provider(.json(#"[{"title": "a"}]"#))).getTodos(username: "johne")
            #expect(todos == [Todo(title: "a")])
            let request = try lab.request
            #expect(request.method == "GET")
            #expect(request.target == "/users/johne/todos")
        },
        SeedExample("S3.4", "a stream of events after a POST") { lab async throws in
            let provider = lab.provider(
                .events(": hi\n\ndata: one\ndata: two\n\nevent: x\nid: 1\ndata:  three\n\ndata: [DONE]\n\n"))
            let messages = [Message(role: "user", content: "Hi")]
            var events: [String] = []
            for await event in try await UsersAPI(provider).completions(model: "glm", messages: messages) {
                events.append(event)
            }
            #expect(events == ["one\ntwo", " three", "[DONE]"])
            let request = try lab.request
            #expect(request.method == "POST")
            #expect(request.target == "/chat/completions")
            #expect(request["token"] == "Bearer JWT_TOKEN")
            #expect(request["Authorization"] == "Bearer ...")
            #expect(request["Accept"] == "text/event-stream")
            #expect(
                try request.json == [
                    "model": "glm", "messages": [["role": "user", "content": "Hi"]], "stream": true,
                ])
        },
        SeedExample("S3.5", "a provider from a base URL") { lab async throws in
            let provider = Provider(baseURL: "https://www.example.com")
            #expect(provider.client.configuration.baseURL?.absoluteString == "https://www.example.com")
            // The lab's is made in the same way, over a transport of its own.
            let resp = try await UsersAPI(lab.provider(.json(User.json))).getUser(id: "johne")
            #expect(resp == .johne)
            #expect(try lab.request.target == "/user?identifier=johne")
        },
    ]
}
