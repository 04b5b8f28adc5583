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
        if let code = error.urlErrorCode.flatMap({ URLError.Code(rawValue: $0) }) {
            return .urlError(request: self, error: URLError(code, userInfo: [NSUnderlyingErrorKey: error]))
        }
        if let decodingError = error.decodingError { return .decoding(request: self, error: decodingError) }
        if error.code == .unacceptableStatus, let head = error.response,
            let urlResponse = head.urlResponse(for: url, httpVersion: nil),
            let error = RequestError.HTTPError(response: (self, urlResponse, error.body ?? Data()))
        {
            return .httpStatus(request: self, error: error)
        }
        return .other(request: self, message: error.message)
    }
}
