// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataRest

/// The answer as a property: it holds its value until the server is asked for another.
private struct Page {
    @Rest(path: "get", params: ["q": "1 + 1"], bearer: false) var echo: Tour.Echo? = nil
}

extension Tour {
    func restProperty() async throws -> String {
        guard let url = URL(string: server), let host = url.host else {
            throw Surprise(description: "\(server) has no host")
        }
        let configuration = RestConfiguration(scheme: "http", host: host, port: url.port, client: makeClient())
        let page = RestConfiguration.withCurrent(configuration) { Page() }
        _ = try await page.$echo.get().value
        guard let echo = page.echo else { throw Surprise(description: "the property kept its old value") }
        return try report(echo)
    }
}
