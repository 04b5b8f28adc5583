// SPDX-License-Identifier: Apache-2.0

/// A body and what it is.
public struct EncodedBody: Sendable {
    public var body: RequestBody
    /// The media type that is sent unless the caller set one. `nil`: none is sent.
    public var contentType: String?

    public init(_ body: RequestBody, contentType: String?) {
        self.body = body
        self.contentType = contentType
    }
}
