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
    /// Waits while other work goes on that may take no longer than `duration`. The waiting task is cancelled when the
    /// work is done.
    ///
    /// Default: ``sleep(for:)``. A virtual clock leaves time alone here: if the wait moved it, every limit would have
    /// passed before the work began.
    ///
    /// - Throws: as ``sleep(for:)``.
    func waitForLimit(_ duration: Duration) async throws
}

extension NetworkClock {
    @_documentation(visibility: internal)
    public func waitForLimit(_ duration: Duration) async throws { try await sleep(for: duration) }
}
