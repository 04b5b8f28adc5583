// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Hummingbird

/// One path and what answers there.
struct Route: Sendable {
    typealias Handler = @Sendable (EchoRequest) async throws -> Response

    enum Methods: Sendable {
        case only([HTTPRequest.Method])
        /// Every method that arrives. Over HTTP/1.1 the parser answers 400 to names it does not know, before any route.
        case any

        static let get = Self.only([.get])
        /// What httpbin means by "all methods".
        static let httpbin = Self.only([.get, .post, .put, .delete, .patch, .trace])
    }

    let pattern: PathPattern
    let methods: Methods
    let handler: Handler

    init(_ path: String, _ methods: Methods = .get, handler: @escaping Handler) {
        pattern = PathPattern(path)
        self.methods = methods
        self.handler = handler
    }
}
