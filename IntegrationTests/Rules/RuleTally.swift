// SPDX-License-Identifier: Apache-2.0

import StrataTesting
import Synchronization

/// How a transport kept the rules; a line says so when all have been checked.
final class RuleTally: Sendable {
    private struct State {
        var kept = 0
        var notClaimed = 0
        var broken = 0

        var count: Int { kept + notClaimed + broken }
    }

    private let name: String
    private let count: Int
    private let state = Mutex(State())

    /// - Parameter count: of the rules that are checked.
    init(_ name: String, count: Int) {
        self.name = name
        self.count = count
    }

    /// Notes how a check ends.
    @discardableResult
    func counting(_ check: () async throws -> TransportRule.Outcome) async throws -> TransportRule.Outcome {
        do {
            let outcome = try await check()
            note { if outcome == .kept { $0.kept += 1 } else { $0.notClaimed += 1 } }
            return outcome
        } catch {
            note { $0.broken += 1 }
            throw error
        }
    }

    private func note(_ change: (inout State) -> Void) {
        let state = state.withLock { state in
            change(&state)
            return state
        }
        guard state.count == count else { return }
        let (skipped, all) = (TransportRule.all.count - count, TransportRule.all.count)
        print(
            "\(all) rules, \(name): \(state.kept) kept, \(state.notClaimed) not claimed, \(state.broken) broken"
                + (skipped > 0 ? ", \(skipped) not run" : ""))
    }
}
