// SPDX-License-Identifier: Apache-2.0

import Foundation
public import StrataCore

extension RequestError {
    /// A response whose status is an error.
    public struct HTTPError: Error, Sendable {
        public let statusCode: Int
        public let type: ErrorType
        /// The response, and as much of its body as came within ten seconds and within the limit for bodies.
        public let response: Request.Response

        /// `nil` for a status from 100 to 399.
        public init?(response: Request.Response) {
            let statusCode = response.urlResponse.statusCode
            guard let type = ErrorType(statusCode: statusCode) else { return nil }
            self.statusCode = statusCode
            self.type = type
            self.response = response
        }

        #if hasAttribute(nonexhaustive)
        @nonexhaustive
        #endif
        public enum ErrorType: Hashable, Sendable {
            /// 400
            case badRequest
            /// 401
            case unauthorized
            /// 403
            case forbidden
            /// 404
            case notFound
            /// 415
            case unsupportedMediaType
            /// 429
            case tooManyRequests
            /// 500 to 599
            case server
            /// Every other status that is an error.
            case other

            init?(statusCode: Int) {
                switch statusCode {
                case 100..<400: return nil
                case 400: self = .badRequest
                case 401: self = .unauthorized
                case 403: self = .forbidden
                case 404: self = .notFound
                case 415: self = .unsupportedMediaType
                case 429: self = .tooManyRequests
                case 500..<600: self = .server
                default: self = .other
                }
            }
        }
    }
}

extension RequestError.HTTPError: Hashable {
    /// Equal when the statuses are.
    @_documentation(visibility: internal)
    public static func == (left: Self, right: Self) -> Bool { left.statusCode == right.statusCode }

    @_documentation(visibility: internal)
    public func hash(into hasher: inout Hasher) { hasher.combine(statusCode) }
}

extension RequestError.HTTPError: DescribedError {
    public var description: String { "HTTP status \(statusCode) (\(type))" }
}
