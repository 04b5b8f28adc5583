// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
public import StrataCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What the peer asks for, or tells.
public struct JSONRPCRequest: Sendable {
    public let method: String
    /// Whether it is a notification, which gets no answer.
    public var isNotification: Bool { id == nil }
    let id: JSONRPCIdentifier?
    let message: Data
    let decoder: any ResponseBodyDecoder

    /// The parameters as a model.
    ///
    /// - Throws: ``JSONRPCError`` with `-32602` when they are none of that kind, to be sent back.
    public func params<Model: Decodable>(as type: Model.Type = Model.self) throws -> Model {
        do {
            return try decoder.decode(ParamsOnly<Model>.self, from: message, response: .message).params
        } catch {
            throw JSONRPCError(.invalidParams)
        }
    }
}

extension JSONRPCRequest: DumpedAsDescription {
    /// Without the parameters.
    public var description: String { isNotification ? "a notification" : "a request" }
}

private struct ParamsOnly<Model: Decodable>: Decodable {
    let params: Model
}

extension HTTPResponse {
    /// The head with which a decoder is given a message.
    static let message = HTTPResponse(status: .ok, headerFields: [.contentType: "application/json"])
}
