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
}
