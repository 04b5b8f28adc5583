// SPDX-License-Identifier: Apache-2.0

public import StrataCore

/// An error that an endpoint with typed throws can throw: it can be made from whatever goes wrong.
///
///     enum UsersError: APIFailure {
///         case offline, other(any Error)
///         init(failure: any Error) { … }
///     }
///
///     @GET("/users") func users() async throws(UsersError) -> [User]
///
/// `NetworkClientError` conforms. An endpoint that declares it has no use for an ``ErrorModel(_:)``.
public protocol APIFailure: Error {
    /// - Parameter failure: a `NetworkClientError`, the model that ``ErrorModel(_:)`` makes of one, a
    ///   `CancellationError`, or what a middleware threw.
    init(failure: any Error)
}

extension APIFailure {
    /// The error itself when it is of this type, else one made from it.
    static func wrapping(_ error: any Error) -> Self { error as? Self ?? Self(failure: error) }
}

extension NetworkClientError: APIFailure {
    /// An error of another type becomes the ``StrataCore/NetworkClientError/cause``, under the code `cancelled` or
    /// `foreign`.
    public init(failure: any Error) {
        if let error = failure as? NetworkClientError {
            self = error
        } else if failure is CancellationError {
            self.init(.cancelled, "the call was cancelled", cause: failure)
        } else {
            self.init(.foreign, "\(type(of: failure)) was thrown", cause: failure)
        }
    }
}
