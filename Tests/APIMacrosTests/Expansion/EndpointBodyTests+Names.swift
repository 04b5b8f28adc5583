// SPDX-License-Identifier: Apache-2.0

import Testing

extension EndpointBodyTests {
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
}
