// SPDX-License-Identifier: Apache-2.0

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
}
