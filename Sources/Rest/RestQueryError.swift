// SPDX-License-Identifier: Apache-2.0

public import Foundation
import HTTPTypes
public import StrataCore
import StrataEncoding

/// How a request of a ``Rest`` property fails.
#if hasAttribute(nonexhaustive)
@nonexhaustive
#endif
public enum RestQueryError: Error {
    /// The exchange failed; the ``StrataCore/NetworkClientError`` is the underlying error.
    case url(URLError)
    /// Scheme, host and path make no URL.
    case urlValidation
    /// What the server sent is no valid HTTP response.
    case urlResponse
    /// The status is outside of 200 to 299; ``RestQueryResult/underlyingError`` has the response.
    case statusCode(Int)
    /// The property wants a token and none is stored.
    case bearer
    /// The body of the response is no such model; ``RestQueryResult/underlyingError`` has the response.
    case decode(DecodingError)
    case encode(EncodingError)
    case cancelled
    /// Anything else: an error of a middleware, or of the token store.
    case other(any Error)

    @available(*, deprecated, renamed: "urlResponse")
    public static var urlReponse: RestQueryError { .urlResponse }

    /// Lets `case .urlReponse` match. Cases with values never match here.
    @available(*, deprecated, message: "for 'urlReponse' alone: the case is 'urlResponse'")
    public static func ~= (pattern: RestQueryError, error: RestQueryError) -> Bool {
        switch (pattern, error) {
        case (.urlValidation, .urlValidation), (.urlResponse, .urlResponse), (.bearer, .bearer),
            (.cancelled, .cancelled):
            true
        default: false
        }
    }

    init(_ error: any Error) {
        switch error {
        case let error as RestQueryError: self = error
        case is CancellationError: self = .cancelled
        case let error as URLError: self = .url(error)
        case let error as DecodingError: self = .decode(error)
        case let error as EncodingError: self = .encode(error)
        case let error as NetworkClientError: self.init(error)
        default: self = .other(error)
        }
    }

    private init(_ error: NetworkClientError) {
        if let decodingError = error.decodingError {
            self = .decode(decodingError)
            return
        }
        switch (error.code, error.cause) {
        case (.unacceptableStatus, _): self = error.response.map { .statusCode($0.status.code) } ?? .other(error)
        case (.malformedURL, _): self = .urlValidation
        case (.encodingFailed, let cause as EncodingError): self = .encode(cause)
        case (.protocolViolation, _): self = .urlResponse
        case (.cancelled, _): self = .cancelled
        default:
            self =
                error.urlErrorCode.flatMap { URLError.Code(rawValue: $0) }.map {
                    .url(URLError($0, userInfo: [NSUnderlyingErrorKey: error]))
                } ?? .other(error)
        }
    }
}

extension RestQueryError: DescribedError {
    /// Without query, fields and bodies.
    public var description: String {
        switch self {
        case .url(let error):
            (error.userInfo[NSUnderlyingErrorKey] as? NetworkClientError)?.description ?? "URL error \(error.errorCode)"
        case .urlValidation: "scheme, host and path make no URL, or the `RestConfiguration` has no host"
        case .urlResponse: "what came is not an HTTP response"
        case .statusCode(let code): "HTTP status \(code)"
        case .bearer: "the property wants a bearer token, and none is stored"
        case .decode(let error): Self.text(of: error)
        case .encode(let error):
            ["the value cannot be encoded", error.outline].compactMap { $0 }.joined(separator: ": ")
        case .cancelled: "the request was cancelled"
        case .other(let error): (error as? any LocalizedError)?.errorDescription ?? "\(error)"
        }
    }

    /// The client's description; of an error that no client made the place alone: what a decoder says may show a value.
    private static func text(of error: DecodingError) -> String {
        let context: DecodingError.Context? =
            switch error {
            case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context): context
            case .keyNotFound(_, let context): context
            @unknown default: nil
            }
        if let failure = context?.underlyingError as? NetworkClientError { return failure.description }
        var path = context?.codingPath ?? []
        if case .keyNotFound(let key, _) = error { path.append(key) }
        return path.isEmpty ? "the answer cannot be decoded" : "the answer cannot be decoded at \(path.place)"
    }
}
