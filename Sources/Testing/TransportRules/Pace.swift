// SPDX-License-Identifier: Apache-2.0

import StrataCore

/// How fast a rule about time goes: one that fails because the machine is busy holds when all of its times are longer. A
/// transport that breaks the rule breaks it at every pace.
struct Pace: Sendable {
    private let factor: Int

    /// `count` at the usual pace.
    func milliseconds(_ count: Int) -> Duration { .milliseconds(count * factor) }

    /// Runs `body` at the usual pace, and as long as it fails at slower ones.
    static func any(_ body: (Pace) async throws -> Void) async throws {
        for factor in [1, 4] {
            do { return try await body(Pace(factor: factor)) } catch is RuleViolation {} catch is NetworkClientError {}
        }
        try await body(Pace(factor: 16))
    }
}
