// SPDX-License-Identifier: Apache-2.0

public import StrataCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Why a mock could not answer.
public struct MockError: DescribedError, Sendable {
    public let description: String
}
