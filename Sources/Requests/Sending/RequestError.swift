// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
public import StrataCore
import StrataEncoding

public import Foundation

/// Why a request failed, with the request.
///
/// A cancelled call throws `CancellationError`. Where only this type can be thrown, it is `urlError` with code
/// `cancelled`.
#if hasAttribute(nonexhaustive)
@nonexhaustive
#endif
public enum RequestError: Error, Sendable {
    /// The exchange failed: no connection, a timeout, a broken response. The codes are those of `URLError` whatever the
    /// transport; ``underlyingError`` tells the stage more precisely.
    case urlError(request: Request, error: URLError)
    /// The response's body is not the expected model. Errors of another type that a decoder throws are in
    /// ``underlyingError``.
    case decoding(request: Request, error: DecodingError)
    /// Anything else: a request that cannot be built or encoded, an error of a middleware.
    case other(request: Request, message: String)
    /// The status is an error; see ``Request/Configuration-swift.struct/parseHTTPStatusErrors``.
    case httpStatus(request: Request, error: HTTPError)

    public var request: Request {
        switch self {
        case .urlError(let request, _), .decoding(let request, _), .other(let request, _), .httpStatus(let request, _):
            request
        }
    }

    /// What this error was made from: ``StrataCore/NetworkClientError``, with the record of the exchange, or what a middleware threw.
    public var underlyingError: (any Error)? { request.failure }
}

extension RequestError: Hashable {
    private enum Summary: Hashable {
        case url(Int), decoding(String), other(String), status(Int)
    }

    private var summary: Summary {
        switch self {
        case .urlError(_, let error): .url(error.errorCode)
        case .decoding(_, let error): .decoding(Self.summary(of: error))
        case .other(_, let message): .other(message)
        case .httpStatus(_, let error): .status(error.statusCode)
        }
    }

    private static func summary(of error: DecodingError) -> String {
        guard case .dataCorrupted(let context) = error, let cause = context.underlyingError as? NetworkClientError
        else { return error.outline }
        return cause.message
    }

    /// Equal when they name the same request and the same kind of failure.
    @_documentation(visibility: internal)
    public static func == (left: RequestError, right: RequestError) -> Bool {
        left.request == right.request && left.summary == right.summary
    }

    @_documentation(visibility: internal)
    public func hash(into hasher: inout Hasher) {
        hasher.combine(request)
        hasher.combine(summary)
    }
}

extension RequestError: DescribedError {
    /// Without query, fields and bodies.
    public var description: String {
        switch self {
        case .urlError(let request, let error): "\(request): \(text(of: error))"
        case .decoding(let request, let error): "\(request): \(refusal) cannot be decoded: \(text(of: error))"
        case .other(let request, let message): "\(request): \(message)"
        case .httpStatus(let request, let error): "\(request): \(error)"
        }
    }

    /// The response, with its status when that is none of success: by default such a response is decoded, too. With its
    /// media type when the decoder reads others.
    private var refusal: String {
        guard let failure = underlyingError as? NetworkClientError, let head = failure.response else {
            return "the response"
        }
        let status = head.status.kind == .successful ? "" : " with status \(head.status.code)"
        let type = failure.decoder?.unreadableType(of: head).map { " of type \($0)" } ?? ""
        return "the response\(type)\(status)"
    }

    /// What is wrong with the response, and where.
    private func text(of error: DecodingError) -> String {
        let cause = (underlyingError as? NetworkClientError)?.cause as? JSONDecodingError
        return cause?.description ?? Self.summary(of: error)
    }

    /// The client's description of the error. A `URLError` that no client made is shown by its code and meaning alone,
    /// because the rest of it has the whole URL.
    private func text(of error: URLError) -> String {
        (underlyingError as? NetworkClientError)?.description
            ?? "URL error \(error.errorCode): \(error.localizedDescription)"
    }
}
