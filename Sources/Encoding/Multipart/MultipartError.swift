// SPDX-License-Identifier: Apache-2.0

public import StrataCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A body that is not the multipart that it says it is, or one that is larger than allowed.
public struct MultipartError: DescribedError, Hashable, Sendable {
    public let reason: String

    init(_ reason: String) { self.reason = reason }

    public var description: String { "multipart: \(reason)" }
}
