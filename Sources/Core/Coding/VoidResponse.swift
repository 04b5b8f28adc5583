// SPDX-License-Identifier: Apache-2.0

/// The model of a response whose body does not matter; it is read to its end, so that a truncated one is noticed. Also
/// the model of an event, or of another element of a stream, whose data do not matter.
public struct VoidResponse: Codable, Hashable, Sendable {
    public init() {}
}
