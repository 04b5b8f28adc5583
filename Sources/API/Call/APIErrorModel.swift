// SPDX-License-Identifier: Apache-2.0

public import StrataCore

/// A model of an error's body that also gets the error it came with, and so the status, the fields and the exchange
/// record.
///
///     struct APIError: APIErrorModel {
///         var message: String
///         var failure: NetworkClientError?
///         private enum CodingKeys: CodingKey { case message }
///     }
///
/// A model for ``ErrorModel(_:)`` need not conform; any `Decodable` error will do.
public protocol APIErrorModel: Error, Decodable {
    /// Set after decoding.
    var failure: NetworkClientError? { get set }
}
