// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataRequests

extension Tour {
    /// The call put together by result builders, in which `if` and `for` work too.
    func builtRequest() async throws -> String {
        guard let url = URL(string: server) else { throw Surprise(description: "\(server) is no URL") }
        let request = Request(.get, url: url, client: makeClient()) {
            PathComponents { "get" }
            QueryItems { ("q", "1 + 1") }
        }
        let echo: Echo = try await request.send()
        return try report(echo)
    }
}
