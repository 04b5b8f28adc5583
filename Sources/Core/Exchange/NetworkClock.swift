// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The time by which a client measures, waits and reads dates. Tests put a virtual one in its place.
public protocol NetworkClock: Sendable {
    /// Time since some fixed moment; never goes back, runs on while the machine sleeps.
    var now: Duration { get }
    /// The time of day, for dates that a server names.
    var date: Date { get }
    /// - Throws: `CancellationError` when the task is cancelled before or while it waits.
    func sleep(for duration: Duration) async throws
}
