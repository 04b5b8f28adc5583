// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The machine's clock.
public struct SystemClock: NetworkClock {
    private static let origin = ContinuousClock.now

    public init() {}

    @_documentation(visibility: internal)
    public var now: Duration { Self.origin.duration(to: .now) }
    @_documentation(visibility: internal)
    public var date: Date { Date() }

    @_documentation(visibility: internal)
    public func sleep(for duration: Duration) async throws {
        // The runtime traps on moments that its clock cannot count to.
        let longest = Duration.seconds(1_000_000_000_000)
        try await Task.sleep(for: min(duration, longest), clock: .continuous)
    }
}
