// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A body that is not the multipart that it says it is, or one that is larger than allowed.
public struct MultipartError: LocalizedError, Hashable, Sendable, CustomStringConvertible {
    public let reason: String

    init(_ reason: String) { self.reason = reason }

    public var description: String { "multipart: \(reason)" }

    public var errorDescription: String? { description }
}
