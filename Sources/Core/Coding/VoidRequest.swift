// SPDX-License-Identifier: Apache-2.0

/// The model of a request without a body.
public struct VoidRequest: Codable, Hashable, Sendable {
    public init() {}
}
