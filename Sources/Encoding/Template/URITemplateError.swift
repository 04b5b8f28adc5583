// SPDX-License-Identifier: Apache-2.0

public import StrataCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Why a text is no template, or cannot be expanded.
public struct URITemplateError: DescribedError, Hashable, Sendable {
    public let reason: String
    /// Offset in bytes in the template; `nil` for a failure to expand.
    public let offset: Int?

    public var description: String { offset.map { "URI template, byte \($0): \(reason)" } ?? "URI template: \(reason)" }
}
