// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Where the bytes of a body come from: pulled piece by piece by one consumer.
public protocol BodySource: AnyObject, Sendable {
    /// The next piece, never empty; `nil` at the end, and again after it.
    ///
    /// Called by one task at a time. Throws what ended the body early, `CancellationError` after a cancel.
    func next() async throws -> Data?

    /// Gives up what is left of the body. May be called at any time, from any thread, more than once, and after the
    /// end. A `next()` that is waiting ends soon after; this function does not wait for it.
    func cancel()

    /// The fields behind the body (RFC 9110 §6.5), once `next()` has returned `nil`. Default: `nil`, there are none.
    var trailers: HTTPFields? { get }
}

extension BodySource {
    @_documentation(visibility: internal)
    public var trailers: HTTPFields? { nil }
}
