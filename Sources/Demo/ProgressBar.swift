// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

/// A bar that is drawn over itself on a terminal, and once, at its end, elsewhere.
struct ProgressBar {
    let label: String
    let total: Int
    private(set) var count = 0
    private var drawn = -1
    private static let isTerminal = isatty(STDOUT_FILENO) == 1

    init(label: String, total: Int) {
        self.label = label
        self.total = total
    }

    mutating func advance(by bytes: Int) {
        count += bytes
        let percent = total > 0 ? count * 100 / total : 100
        guard percent != drawn, Self.isTerminal else { return }
        drawn = percent
        print("\r\(line(percent))", terminator: "")
        fflush(nil)
    }

    func finish() {
        print(Self.isTerminal ? "" : line(total > 0 ? count * 100 / total : 100))
    }

    private func line(_ percent: Int) -> String {
        let filled = min(max(percent, 0), 100) * 30 / 100
        let bar = String(repeating: "#", count: filled) + String(repeating: ".", count: 30 - filled)
        return "\(label) [\(bar)] \(percent) %"
    }
}

/// The same, advanced from where a body is produced.
final class SharedProgressBar: Sendable {
    private let bar: Mutex<ProgressBar>

    init(label: String, total: Int) {
        bar = Mutex(ProgressBar(label: label, total: total))
    }

    func advance(by bytes: Int) { bar.withLock { $0.advance(by: bytes) } }
    func finish() { bar.withLock { $0.finish() } }
}
