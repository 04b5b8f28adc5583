// SPDX-License-Identifier: Apache-2.0

/// The model of a response whose body does not matter; it is read to its end, so that a truncated one is noticed.
public struct VoidResponse: Codable, Hashable, Sendable {
    public init() {}
}
