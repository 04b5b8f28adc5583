// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataRequests
import StrataTesting

struct User: Codable, Hashable, Sendable {
    var name: String
}

/// Something that the requests of a test are sent through.
func client(_ transport: ScriptedTransport, middleware: [any NetworkMiddleware] = []) -> NetworkClient {
    NetworkClient(
        configuration: NetworkConfiguration(baseURL: nil, transport: transport, middleware: middleware))
}

let usersURL = URL(string: "https://example.com/users")!

/// An error that no module of the package knows.
struct ForeignError: Error, Equatable {}
