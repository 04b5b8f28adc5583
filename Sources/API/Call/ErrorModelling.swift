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
        } catch let error as NetworkClientError {
            throw modelled(error)
        }
    }

    /// The model of what a server has said of its own accord: with the status, in place of a stream, within a stream.
    func modelled(_ error: NetworkClientError) -> any Error {
        guard [.unacceptableStatus, .unacceptableContentType, .errorEvent].contains(error.code), error.body != nil
        else {
            return error
        }
        var error = error
        if error.code != .errorEvent { error.decoder = decoder }
        return model?(error) ?? error
    }
}
