// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Testing

@testable import EchoServer

struct AuthenticationRoutesTests {
    @Test(arguments: [
        (nil, 401), ("Basic dTpw", 200), ("basic  dTpw", 200), ("Basic dTp4", 401), ("Basic dQ==", 401),
        ("Basic !!!", 401), ("Bearer dTpw", 401), ("Basic", 401),
    ])
    func basicCredentialsAreCompared(authorization: String?, status: Int) async throws {
        var fields: HTTPFields = [:]
        fields[.authorization] = authorization
        let response = try await ask("/basic-auth/u/p", fields: fields)
        #expect(response.statusCode == status)
        #expect((response.headers[.wwwAuthenticate] != nil) == (status == 401))
        #expect(try await ask("/hidden-basic-auth/u/p", fields: fields).statusCode == (status == 401 ? 404 : 200))
    }

    /// RFC 7617 §2: the first colon ends the user.
    @Test func passwordsMayHaveColons() async throws {
        // ü:p:q
        let response = try await ask("/basic-auth/%C3%BC/p:q", fields: [.authorization: "Basic w7w6cDpx"])
        #expect(response.statusCode == 200)
    }

    @Test func bearerTokensAreGivenBack() async throws {
        #expect(try await ask("/bearer").headers[.wwwAuthenticate] == "Bearer")
        #expect(try await ask("/bearer", fields: [.authorization: "Basic x"]).statusCode == 401)
        let response = try await ask("/bearer", fields: [.authorization: "Bearer to ken"])
        #expect(response.statusCode == 200)
        #expect(response.text.contains(#""token": "to ken""#))
    }
}
