// SPDX-License-Identifier: Apache-2.0

import Testing

extension EndpointBodyTests {
    @Test func tuplesAreReadElementByElement() {
        expectBody(
            #"@GET("/users") func users() async throws -> (list: [(id: String, name: String?)], count: Int)"#,
            """
            let call = self.apiCall("GET", "/users")
            return try await call.send { tuple in
            (list: try tuple.array("list") {
            (id: try $0.value("id"), name: try $0.value("name"))
            }, count: try tuple.value("count"))
            }
            """)
        expectBody(
            #"@GET("/users") func users() async throws -> [String: (a: Int, b: (c: Int, d: (e: [[Int]], f: Int)?))]?"#,
            """
            let call = self.apiCall("GET", "/users")
            return try await call.send(optional: { tuple in
            try tuple.dictionary {
            (a: try $0.value("a"), b: try $0.tuple("b") {
            (c: try $0.value("c"), d: try $0.optional("d") {
            (e: try $0.value("e"), f: try $0.value("f"))
            })
            })
            }
            })
            """)
    }

    @Test func aTupleIsFoundInTypesThatAreWrittenOut() {
        expectBody(
            #"@GET("/x") func x() async throws -> Optional<Dictionary<String, Array<(a: Int, b: Swift.Optional<(c: Int, d: [Int])>)>>>"#,
            """
            let call = self.apiCall("GET", "/x")
            return try await call.send(optional: { tuple in
            try tuple.dictionary {
            try $0.array {
            (a: try $0.value("a"), b: try $0.optional("b") {
            (c: try $0.value("c"), d: try $0.value("d"))
            })
            }
            }
            })
            """)
        expectBody(
            #"@GET("/x") func x() async throws -> (a: Int, b: Int)!"#,
            """
            let call = self.apiCall("GET", "/x")
            return try await call.send(optional: { tuple in
            (a: try tuple.value("a"), b: try tuple.value("b"))
            })
            """)
        // Without one in them they stay as they are.
        expectBody(
            #"@GET("/x") func x() async throws -> Array<Int>"#,
            """
            let call = self.apiCall("GET", "/x")
            return try await call.send(as: Array<Int>.self)
            """)
    }

    @Test func typedErrorsAreMadeFromWhateverGoesWrong() {
        expectBody(
            #"@GET("/x") func x() async throws(UsersError) -> User"#,
            """
            var call = self.apiCall("GET", "/x")
            call.failures(as: UsersError.self)
            do {
            return try await call.send(as: User.self)
            } catch {
            throw StrataAPI.APICall.failure(error, as: UsersError.self)
            }
            """)
        expectBody(
            #"@GET("/x") func x() async throws(any Error)"#,
            """
            let call = self.apiCall("GET", "/x")
            try await call.send()
            """)
    }

    @Test func anAbsoluteTargetIsAParameter() {
        expectBody(
            #"@GET @URL func page(_ link: String, size: Int) async throws -> Page"#,
            """
            var call = self.apiCall("GET", "")
            call.target(link)
            call.query("size", .init(size))
            return try await call.send(as: Page.self)
            """)
        expectBody(
            #"@POST @URL func page(@Url next: URL, _ body: Page) async throws"#,
            """
            var call = self.apiCall("POST", "")
            call.target(next)
            call.body(.init(body))
            try await call.send()
            """)
    }

    @Test func aTargetIsLookedForByItsNameFirst() {
        expectBody(
            #"@PUT @URL func upload(_ data: Data, to url: URL) async throws"#,
            """
            var call = self.apiCall("PUT", "")
            call.body(.init(data))
            call.target(url)
            try await call.send()
            """)
        expectBody(
            #"@GET @URL func page<T: Decodable>(_ type: T.Type, _ link: String) async throws -> T"#,
            """
            var call = self.apiCall("GET", "")
            call.target(link)
            return try await call.send(as: T.self)
            """)
    }

    @Test func anIsolationIsNotSent() {
        expectBody(
            #"@GET("/x") func x(page: Int, isolation: isolated (any Actor)? = #isolation) async throws"#,
            """
            var call = self.apiCall("GET", "/x")
            call.query("page", .init(page))
            try await call.send()
            """)
    }

    @Test func metatypesAndTagsAreNotSent() {
        expectBody(
            #"@POST("/x") func x<T: Decodable>(as type: T.Type, @Tag(TenantKey.self) tenant: String?) async throws -> T"#,
            """
            var call = self.apiCall("POST", "/x")
            call.tag(TenantKey.self, ifPresent: tenant)
            return try await call.send(as: T.self)
            """)
    }

    @Test func aPublisherIsHandedOutAtOnce() {
        expectBody(
            #"@GET("/x") func x() -> AnyPublisher<User, any Error>"#,
            """
            let call = self.apiCall("GET", "/x")
            return call.deferred(as: AnyPublisher<User, any Error>.self)
            """)
    }

    @Test func eventsAreChosenByNamesOrByATable() {
        expectBody(
            #"@EventStreaming(until: .event("stop"), events: ["a", "b"]) @GET("/x") func x() async throws -> APIStream<Int>"#,
            """
            var call = self.apiCall("GET", "/x")
            call.eventStreaming(until: .event("stop"), events: ["a", "b"])
            return try await call.send(as: APIStream<Int>.self)
            """)
        expectBody(
            #"@EventStreaming(decoding: Update.events, options: .brief) @GET("/x") func x() async throws -> APIStream<Update>"#,
            """
            var call = self.apiCall("GET", "/x")
            call.eventStreaming(options: .brief)
            return try await call.send(as: APIStream<Update>.self, decoding: Update.events)
            """)
        expectBody(
            #"@EventStreaming(decoding: Update.events) @GET("/x") func x() -> AnyPublisher<Update, any Error>"#,
            """
            var call = self.apiCall("GET", "/x")
            call.eventStreaming()
            return call.deferred(as: AnyPublisher<Update, any Error>.self, decoding: {
            Update.events
            })
            """)
    }

    /// The compiler's error about a type without `@API` is then one in the source.
    @Test func anEndpointInAnExtensionBeginsAtItsOwnPlace() {
        expectBody(
            #"@GET("/x") func x(a: Int) async throws"#,
            """
            #sourceLocation(file: "test.swift", line: 2)
            var call = apiCall("GET", "/x")
            #sourceLocation()
            call.query("a", .init(a))
            try await call.send()
            """, type: "extension UsersAPI")
    }

    @Test func theArgumentsOfAStreamGoToTheCall() {
        expectBody(
            #"@EventStreaming(until: "[END]", options: .brief) @GET("/x") func x() async throws -> AsyncStream<Int>"#,
            """
            var call = self.apiCall("GET", "/x")
            call.eventStreaming(until: "[END]", options: .brief)
            return try await call.send(as: AsyncStream<Int>.self)
            """)
    }

    @Test func aPublisherOfAStreamIsHandedOutInTheSameWay() {
        expectBody(
            #"@EventStreaming @GET("/x") func x() -> AnyPublisher<Event, any Error>"#,
            """
            var call = self.apiCall("GET", "/x")
            call.eventStreaming()
            return call.deferred(as: AnyPublisher<Event, any Error>.self)
            """)
    }

    @Test func modulesMayBeNamed() {
        expectBody(
            #"@GET("/{a}") func x(@StrataAPI.Path("a") b: Int, @StrataAPI::Query("c") d: Int) async throws"#,
            """
            var call = self.apiCall("GET", "/{a}")
            call.path("a", .init(b))
            call.query("c", .init(d), isNamed: true)
            try await call.send()
            """)
    }

    @Test func variadicParametersAreArrays() {
        expectBody(
            #"@GET("/x") func x(tags: String...) async throws"#,
            """
            var call = self.apiCall("GET", "/x")
            call.query("tags", .init(tags))
            try await call.send()
            """)
    }
}
