// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import StrataCore

/// The operation that a request belongs to, for middleware: `request.options[OpenAPIOperation.self]`. `nil` for a request that no
/// generated client has made.
public enum OpenAPIOperation: RequestAttributeKey {
    public static let defaultValue: Operation? = nil

    public struct Operation: Hashable, Sendable {
        /// `operationId` in the document.
        public var id: String
        public var baseURL: URL

        public init(id: String, baseURL: URL) {
            self.id = id
            self.baseURL = baseURL
        }
    }
}
