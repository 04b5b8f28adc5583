// SPDX-License-Identifier: Apache-2.0

import StrataCore

/// How the body of a failure is read: whole, whatever the key path or the tuple of a success.
struct ErrorModelling: Sendable {
    let model: (@Sendable (NetworkClientError) -> (any Error)?)?
    let decoder: any ResponseBodyDecoder

    /// Throws the endpoint's own model of an error in place of the client's, when the body is one.
    func applied<Value>(_ work: () async throws -> Value) async throws -> Value {
        do {
            return try await work()
        } catch var error as NetworkClientError where error.code == .unacceptableStatus {
            error.decoder = decoder
            throw model?(error) ?? error
        }
    }
}
