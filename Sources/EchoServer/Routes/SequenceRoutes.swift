// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Hummingbird
import Synchronization

/// `/sequence/{key}/{statuses}/{rest}`: a service that fails now and then.
///
/// The first request with the key gets the first of the statuses (`429,200,503`), the second one the second; where that is
/// below 300, and when all have had their turn, the path behind them answers. 429 and 503 ask to come again at once.
enum SequenceRoutes {
    static var routes: [Route] {
        [Route("/sequence/{key}/{statuses}/{rest:path}", .any, handler: next)]
    }

    private static func next(_ request: EchoRequest) async throws -> Response {
        let texts = request.text("statuses").split(separator: ",", omittingEmptySubsequences: false)
        let statuses = texts.compactMap { Int($0) }.filter { (200...599).contains($0) }
        guard statuses.count == texts.count else {
            throw HTTPError(.badRequest, message: "The statuses are numbers in 200...599.")
        }
        let turn = request.router.state.sequences.withLock { counts in
            defer { counts[request.text("key"), default: 0] += 1 }
            return counts[request.text("key"), default: 0]
        }
        guard turn < statuses.count, statuses[turn] >= 300 else {
            let path = request.target.origin.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: true)[3]
            return try await request.router.dispatch(request.redirected(to: "/\(path)"))
        }
        var response = StatusRoutes.response(statuses[turn])
        if [429, 503].contains(statuses[turn]) { response.headers[.retryAfter] = "0" }
        return request.head.method == .head ? response.createHeadResponse() : response
    }
}
