// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Cuts bytes into frames: a state machine that knows no I/O.
protocol StreamFraming: Sendable {
    associatedtype Frame

    /// Takes a piece of the body over. Called when ``next()`` has returned `nil`.
    mutating func append(_ piece: Data)
    /// The next frame; `nil` when more bytes are needed.
    mutating func next() throws -> Frame?
    /// A frame that the end of the body completes. Called until it returns `nil`.
    mutating func finish() throws -> Frame?
}
