// SPDX-License-Identifier: Apache-2.0

import Testing

struct EndpointBodyTests {
    @Test func aPlainCallIsTwoStatements() {
        expectBody(
            #"@GET("/users/list") func listUsers() async throws -> [User]"#,
            """
            let call = self.apiCall("GET", "/users/list")
            return try await call.send(as: [User].self)
            """)
    }

    @Test(arguments: ["GET", "HEAD", "DELETE", "OPTIONS", "TRACE", "CONNECT"])
    func methodsWithoutABodySendParametersInTheQuery(method: String) {
        expectBody(
            #"@\#(method)("/x/{id}") func x(id: Int, sort: String, _ page: Int?) async throws"#,
            """
            var call = self.apiCall("\(method)", "/x/{id}")
            call.path("id", .init(id))
            call.query("sort", .init(sort))
            call.query("page", .init(page))
            try await call.send()
            """)
    }

    @Test(arguments: ["POST", "PUT", "PATCH"])
    func methodsWithABodySendParametersAsFields(method: String) {
        expectBody(
            #"@\#(method)("/x/{id}") func x(id: Int, name: String) async throws"#,
            """
            var call = self.apiCall("\(method)", "/x/{id}")
            call.path("id", .init(id))
            call.field("name", .init(name))
            try await call.send()
            """)
    }

    @Test(arguments: ["POST", "PUT", "PATCH"])
    func aParameterWithoutALabelIsTheBodyBesideThePath(method: String) {
        expectBody(
            #"@\#(method)("/x/{id}") func x(id: Int, _ user: User) async throws"#,
            """
            var call = self.apiCall("\(method)", "/x/{id}")
            call.path("id", .init(id))
            call.body(.init(user))
            try await call.send()
            """)
    }

    @Test func anyMethodIsPossible() {
        expectBody(
            #"@HTTP(method: "PROPFIND", path: "/files") func files(depth: Int) async throws"#,
            """
            var call = self.apiCall("PROPFIND", "/files")
            call.query("depth", .init(depth))
            try await call.send()
            """)
    }

    @Test func theNameIsTheAttributesElseTheLabelElseItsOwn() {
        expectBody(
            #"""
            @GET("/search")
            func search(@Query("a") one: String, two second: String, _ three: String, @Query four fourth: String) async throws
            """#,
            """
            var call = self.apiCall("GET", "/search")
            call.query("a", .init(one), isNamed: true)
            call.query("two", .init(second))
            call.query("three", .init(three))
            call.query("four", .init(fourth))
            try await call.send()
            """)
    }

    @Test func aPlaceholderTakesTheLabelThenTheName() {
        expectBody(
            #"@GET("/{a}/{b}/{c}.json") func x(a one: Int, two b: Int, @Path("c") three: Int) async throws"#,
            """
            var call = self.apiCall("GET", "/{a}/{b}/{c}.json")
            call.path("a", .init(one))
            call.path("b", .init(b))
            call.path("c", .init(three))
            try await call.send()
            """)
    }

    @Test func aPlaceholderIsNotTakenByAnotherParametersName() {
        expectBody(
            #"@GET("/users/{id}") func x(owner id: Int, id user: Int) async throws"#,
            """
            var call = self.apiCall("GET", "/users/{id}")
            call.query("owner", .init(id))
            call.path("id", .init(user))
            try await call.send()
            """)
    }

    @Test func whatIsEncodedAlreadyIsSaidToTheCall() {
        expectBody(
            #"@GET("/{gid}") func x(@Path(encoded: true) gid: Int, @Query("q", encoded: true) keyword: String) async throws"#,
            """
            var call = self.apiCall("GET", "/{gid}")
            call.path("gid", .init(gid), encoded: true)
            call.query("q", .init(keyword), isNamed: true, encoded: true)
            try await call.send()
            """)
    }

    @Test func fieldsAndPartsKeepTheirNames() {
        expectBody(
            #"@GET("/x") func x(@Field("new") a: Int, @Field b: Int, @Header("X-C") c: String, @HeaderMap d: [String: String]) async throws"#,
            """
            var call = self.apiCall("GET", "/x")
            call.field("new", .init(a), isNamed: true)
            call.field("b", .init(b))
            call.header("X-C", .init(c))
            call.headers(d)
            try await call.send()
            """)
        expectBody(
            #"@Multipart @PUT("/x") func x(@Part(name: "p", filename: "a.jpg", mimeType: "image/jpeg") photo: Data, desc: String) async throws"#,
            """
            var call = self.apiCall("PUT", "/x")
            call.format(.multipart)
            call.part("p", .init(photo), isNamed: true, filename: "a.jpg", mimeType: "image/jpeg")
            call.field("desc", .init(desc))
            try await call.send()
            """)
    }

    @Test func aFieldMapHasTheLastWord() {
        expectBody(
            #"@GET("/x") func x(@HeaderMap all: [String: String], @Header("A") a: String) async throws"#,
            """
            var call = self.apiCall("GET", "/x")
            call.header("A", .init(a))
            call.headers(all)
            try await call.send()
            """)
    }

    @Test func attributesOfTheFunctionBecomeStatements() {
        expectBody(
            #"""
            @Headers(["Accept": "text/plain", Names.b: value]) @JSON(encoder: JSONEncoder(), decoder: MyDecoder())
            @ResponseKeyPath("data.list") @ErrorModel(APIError.self) @Timeout(idle: .seconds(5)) @Retry(count: 2)
            @Tag(Key.self, "x") @Options({ $0.acceptableStatus = .any })
            @POST("/x") func x() async throws
            """#,
            """
            var call = self.apiCall("POST", "/x")
            call.header("Accept", "text/plain")
            call.header(Names.b, .init((value) as Swift.String))
            call.format(.json, encoder: JSONEncoder(), decoder: MyDecoder())
            call.responseKeyPath("data.list")
            call.errorModel(APIError.self)
            call.timeout(idle: .seconds(5))
            call.retry(count: 2)
            call.tag(Key.self, "x")
            call.options({
            $0.acceptableStatus = .any
            })
            try await call.send()
            """)
    }

    @Test func interpolatedFieldsAreValues() {
        expectBody(
            #"@Headers(["User-Agent": "App/\(version)", "A": "b"]) @GET("/x") func x() async throws"#,
            #"""
            var call = self.apiCall("GET", "/x")
            call.header("User-Agent", .init(("App/\(version)") as Swift.String))
            call.header("A", "b")
            try await call.send()
            """#)
    }

    @Test func fieldsFromAnExpressionAreHandedOver() {
        expectBody(
            #"@Headers(HeaderTest.fields) @GET("/x") func x() async throws"#,
            """
            var call = self.apiCall("GET", "/x")
            call.headers(HeaderTest.fields)
            try await call.send()
            """)
    }

    @Test func theNameOfTheCallIsNotAParameters() {
        expectBody(
            #"@GET("/{call}") func x(call: Int, call2: String) async throws -> (a: Int, tuple: Int)"#,
            """
            var call3 = self.apiCall("GET", "/{call}")
            call3.path("call", .init(call))
            call3.query("call2", .init(call2))
            return try await call3.send { tuple2 in
            (a: try tuple2.value("a"), tuple: try tuple2.value("tuple"))
            }
            """)
    }

    @Test func backticksStayInTheSourceAndNotOnTheWire() {
        expectBody(
            #"@GET("/x") func x(`in`: String, @Query `default`: Int) async throws"#,
            """
            var call = self.apiCall("GET", "/x")
            call.query("in", .init(`in`))
            call.query("default", .init(`default`))
            try await call.send()
            """)
    }

    /// The compiler warns of those around a keyword that is a label.
    @Test func labelsHaveBackticksWhereTheyNeedThem() {
        expectBody(
            #"@GET("/x") func x() async throws -> (`in`: Int, default: Int, `inout`: Int, `a b`: Int)"#,
            """
            let call = self.apiCall("GET", "/x")
            return try await call.send { tuple in
            (in: try tuple.value("in"), default: try tuple.value("default"), `inout`: try tuple.value("inout"), `a b`: try tuple.value("a b"))
            }
            """)
    }

    @Test func namesThatAreKeywordsNeedNoBackticksInTheSource() {
        expectBody(
            #"@GET("/{for}") func x(in: String, for: Int) async throws"#,
            """
            var call = self.apiCall("GET", "/{for}")
            call.query("in", .init(`in`))
            call.path("for", .init(`for`))
            try await call.send()
            """)
    }

    @Test func namesThatBeginAnExpressionGetBackticks() {
        expectBody(
            #"@GET("/x") func x(await: Bool, copy: Int, _ each: borrowing Int) async throws"#,
            """
            var call = self.apiCall("GET", "/x")
            call.query("await", .init(`await`))
            call.query("copy", .init(`copy`))
            call.query("each", .init(copy `each`))
            try await call.send()
            """)
    }

    @Test func whatIsBorrowedIsCopied() {
        expectBody(
            #"@PUT("/x") func x(_ user: borrowing User, @HeaderMap all: borrowing HTTPFields) async throws"#,
            """
            var call = self.apiCall("PUT", "/x")
            call.body(.init(copy user))
            call.headers(copy all)
            try await call.send()
            """)
    }

    @Test func aParameterMayBeCalledSelf() {
        expectBody(
            #"@GET("/x/{self}") func x(`self`: String, _ b: Int) async throws"#,
            """
            var call = apiCall("GET", "/x/{self}")
            call.path("self", .init(`self`))
            call.query("b", .init(b))
            try await call.send()
            """)
        // A label hides nothing.
        expectBody(
            #"@GET("/x") func x(self b: Int) async throws"#,
            """
            var call = self.apiCall("GET", "/x")
            call.query("self", .init(b))
            try await call.send()
            """)
    }

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
