// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Why a mock could not answer.
public struct MockError: LocalizedError, CustomStringConvertible, Sendable {
    public let description: String

    public var errorDescription: String? { description }
}
