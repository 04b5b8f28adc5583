// SPDX-License-Identifier: Apache-2.0

import StrataCore
import StrataEncoding
import StrataURLSession

import Foundation

extension Request {
    /// The error that the async forms throw: a ``RequestError``, or a `CancellationError` unchanged.
    func thrown(_ error: any Error) -> any Error {
        switch error {
        case is CancellationError: error
        // A client with typed throws reports a cancellation like this.
        case let error as NetworkClientError where error.code == .cancelled: CancellationError()
        default: requestError(error)
        }
    }

    /// The error of the forms whose failures can only be a ``RequestError``.
    func requestError(_ error: any Error) -> RequestError {
        if let error = error as? RequestError { return error }
        var request = self
        request.failure = error
        switch error {
        case is CancellationError: return .urlError(request: request, error: URLError(.cancelled))
        case let error as URLError: return .urlError(request: request, error: error)
        case let error as DecodingError: return .decoding(request: request, error: error)
        case let error as NetworkClientError: return request.requestError(error)
        default:
            let message = (error as? any LocalizedError)?.errorDescription ?? "\(error)"
            return .other(request: request, message: message)
        }
    }

    private func requestError(_ error: NetworkClientError) -> RequestError {
        if let code = error.sessionCode ?? error.code.urlErrorCode.flatMap({ URLError.Code(rawValue: $0) }) {
            return .urlError(request: self, error: URLError(code, userInfo: [NSUnderlyingErrorKey: error]))
        }
        switch (error.code, error.cause) {
        case (.decodingFailed, let cause as DecodingError): return .decoding(request: self, error: cause)
        case (.decodingFailed, let cause as JSONDecodingError):
            return .decoding(request: self, error: cause.underlying)
        case (.decodingFailed, _):
            // A key path without a value, text of another charset, an error of a decoder's own.
            let context = DecodingError.Context(codingPath: [], debugDescription: error.message, underlyingError: error)
            return .decoding(request: self, error: .dataCorrupted(context))
        case (.unacceptableStatus, _):
            if let head = error.response,
                let urlResponse = head.urlResponse(for: url, httpVersion: nil),
                let error = RequestError.HTTPError(response: (self, urlResponse, error.body ?? Data()))
            {
                return .httpStatus(request: self, error: error)
            }
        default: break
        }
        return .other(request: self, message: error.message)
    }
}

extension NetworkClientError {
    /// The code that the session reported, where a session is the transport. `cancelled` does not count: a session that
    /// cancels a task does not say why.
    fileprivate var sessionCode: URLError.Code? {
        (cause as? URLError).map(\.code).flatMap { $0 == .cancelled ? nil : $0 }
    }
}
