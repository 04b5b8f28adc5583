// SPDX-License-Identifier: Apache-2.0

import StrataCore
import Synchronization
import Testing

struct ListenersTests {
    @Test func tellsEachWhoListensUntilItsListeningIsGone() {
        let listeners = Listeners<Int>()
        let heard = Mutex<[String]>([])
        #expect(listeners.isEmpty)
        let first = listeners.add { value in heard.withLock { $0.append("a\(value)") } }
        var second: Listening? = listeners.add { value in heard.withLock { $0.append("b\(value)") } }
        listeners.tell(1)
        second = nil
        listeners.tell(2)
        first.end()
        first.end()
        listeners.tell(3)
        #expect(heard.withLock { $0 } == ["a1", "b1", "a2"])
        #expect(listeners.isEmpty && second == nil)
    }

    /// With the listeners, or before; for whoever listens later, at once.
    @Test(arguments: [true, false]) func aStreamEndsWhenNothingWillComeAnyMore(isGone: Bool) async {
        var listeners: Listeners<Int>? = Listeners()
        let stream = listeners?.stream(keeping: 2)
        listeners?.tell(1)
        let last = isGone ? nil : listeners
        listeners = nil
        last?.finish()
        last?.tell(2)
        var values: [Int] = []
        if let stream { for await value in stream { values.append(value) } }
        #expect(values == [1])
        if let last {
            for await _ in last.stream(keeping: 1) { Issue.record("a value") }
            let listening = last.add { _ in Issue.record("a value") }
            last.tell(3)
            listening.end()
            #expect(last.isEmpty)
        }
    }

    @Test func aStreamKeepsTheNewestAndLeavesNobodyBehind() async {
        let listeners = Listeners<Int>()
        do {
            let stream = listeners.stream(keeping: 2)
            for value in 1...4 { listeners.tell(value) }
            var values = stream.makeAsyncIterator()
            #expect(await values.next() == 3)
            #expect(await values.next() == 4)
            #expect(!listeners.isEmpty)
        }
        #expect(listeners.isEmpty)
    }

    @Test func aListenerMayEndItselfWhileItIsTold() {
        let listeners = Listeners<Int>()
        let own = Mutex<Listening?>(nil)
        let count = Mutex(0)
        let listening = listeners.add { _ in
            count.withLock { $0 += 1 }
            own.withLock { $0.take() }?.end()
        }
        own.withLock { $0 = listening }
        listeners.tell(1)
        listeners.tell(2)
        #expect(count.withLock { $0 } == 1)
    }
}
