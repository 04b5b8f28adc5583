// SPDX-License-Identifier: Apache-2.0

import StrataAPI

/// The API as a type: the compiler checks the declarations, and the macros write the calls.
@API
struct EchoAPI {
    @GET("/get")
    func echo(q: String) async throws -> Tour.Echo
}

extension Tour {
    func macroAPI() async throws -> String {
        let api = EchoAPI(Provider(makeClient()))
        return try report(try await api.echo(q: "1 + 1"))
    }
}
