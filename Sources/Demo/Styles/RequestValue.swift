// SPDX-License-Identifier: Apache-2.0

import Foundation
import Strata

extension Tour {
    /// The call as a value.
    func requestValue() async throws -> String {
        let request = NetworkRequest<VoidRequest, Echo>(
            path: "/get", method: .get, queryItems: [URLQueryItem(name: "q", value: "1 + 1")])
        return try report(try await makeClient().run(request).value)
    }
}
