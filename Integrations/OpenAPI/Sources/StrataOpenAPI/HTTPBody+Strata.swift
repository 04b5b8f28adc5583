// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import OpenAPIRuntime
import StrataCore

extension HTTPBody {
    /// Up to this many bytes are sent from memory: then layers can log, sign and record them.
    private static let longestCollected: Int64 = 1 << 20

    var knownLength: Int64? {
        if case .known(let length) = length { return length }
        return nil
    }

    /// The body as Strata sends it. One that can be iterated once is left untouched.
    func requestBody() async throws -> RequestBody {
        if iterationBehavior == .multiple, let length = knownLength, (1...Self.longestCollected).contains(length) {
            let data = try await Data(collecting: self, upTo: Int(Self.longestCollected))
            guard data.count == length else {
                throw NetworkClientError(.uploadFailed, "the body has \(data.count) bytes, and not \(length)")
            }
            return .data(data)
        }
        if iterationBehavior == .multiple {
            return .stream(length: knownLength) { self.map { Data($0) } }
        }
        return .stream(length: knownLength, from: map { Data($0) })
    }

    /// `nil` where a response has no body (RFC 9110 §6.4.1).
    static func of(_ response: TransportResponse, to method: HTTPRequest.Method) -> HTTPBody? {
        if method == .head || [204, 304].contains(response.head.status.code)
            || response.head.status.kind == .informational
        {
            return nil
        }
        if let data = response.body.data { return HTTPBody(data) }
        return HTTPBody(
            response.body, length: response.body.length.map { .known($0) } ?? .unknown, iterationBehavior: .single)
    }

    /// The body of a response that a middleware has made.
    var responseBody: ResponseBody { ResponseBody(length: knownLength, from: map { Data($0) }) }
}
