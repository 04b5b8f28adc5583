// SPDX-License-Identifier: Apache-2.0

package import StrataCore

extension NetworkClientError {
    /// The `DecodingError` of a body that could not be decoded, for front ends whose errors hold one; `nil` for other
    /// stages. Its `underlyingError` is this error.
    package var decodingError: DecodingError? {
        guard code == .decodingFailed else { return nil }
        switch cause {
        case let cause as DecodingError: return cause.caused(by: self)
        case let cause as JSONDecodingError: return cause.underlying.caused(by: self)
        // A key path without a value, text of another charset, an error of a decoder's own.
        default:
            return .dataCorrupted(.init(codingPath: [], debugDescription: message, underlyingError: self))
        }
    }
}

extension DecodingError {
    fileprivate func caused(by error: NetworkClientError) -> DecodingError {
        func with(_ context: Context) -> Context {
            Context(
                codingPath: context.codingPath, debugDescription: context.debugDescription, underlyingError: error)
        }
        return switch self {
        case .typeMismatch(let type, let context): .typeMismatch(type, with(context))
        case .valueNotFound(let type, let context): .valueNotFound(type, with(context))
        case .keyNotFound(let key, let context): .keyNotFound(key, with(context))
        case .dataCorrupted(let context): .dataCorrupted(with(context))
        @unknown default: self
        }
    }
}
