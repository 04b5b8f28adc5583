// SPDX-License-Identifier: Apache-2.0

import StrataTesting

/// Holds tasks back until it is opened, or until as many have come as were announced.
actor Gate {
    private var remaining: Int?
    private var isOpen = false
    private var waiting: [CheckedContinuation<Void, Never>] = []
    private var observers: [(count: Int, CheckedContinuation<Void, Never>)] = []
    private var arrived = 0

    init(opensAfter count: Int? = nil) {
        remaining = count
    }

    func pass() async {
        arrived += 1
        for observer in observers where observer.count <= arrived { observer.1.resume() }
        observers.removeAll { $0.count <= arrived }
        if let remaining, arrived >= remaining { open() }
        if isOpen { return }
        await withCheckedContinuation { waiting.append($0) }
    }

    func open() {
        isOpen = true
        for task in waiting { task.resume() }
        waiting = []
    }

    /// Returns when that many have come to the gate.
    func waitForArrivals(_ count: Int) async {
        if arrived >= count { return }
        await withCheckedContinuation { observers.append((count, $0)) }
    }
}

extension ScriptedTransport {
    /// Answers 200 to each request when the gate has let it pass.
    convenience init(behind gate: Gate) {
        self.init { _ in
            await gate.pass()
            return .status(200)
        }
    }
}
