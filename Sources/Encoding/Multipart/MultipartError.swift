// SPDX-License-Identifier: Apache-2.0

/// A body that is not the multipart that it says it is, or one that is larger than allowed.
public struct MultipartError: Error, Hashable, Sendable, CustomStringConvertible {
    public let reason: String

    init(_ reason: String) { self.reason = reason }

    public var description: String { "multipart: \(reason)" }
}
