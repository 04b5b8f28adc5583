// SPDX-License-Identifier: Apache-2.0

import Foundation
import Observation
import StrataCore
import StrataRest
import StrataTesting
import Synchronization
import Testing

/// One property in many hands at once. `scripts/sanitize` runs these under ThreadSanitizer.
struct RestConcurrencyTests {
    private let server = ScriptedTransport(.json(#"{"name": "kiwi", "size": 1, "color": "green"}"#))

    private func property() -> Rest<Fruit, Fruit> {
        Rest(
            wrappedValue: Fruit(name: "apple", size: 2, color: "red"), path: "fruit",
            configuration: makeConfiguration(server))
    }

    @Test func staysWholeUnderAThousandReadsAndWritesWhileRequestsAreInFlight() async throws {
        let property = property()
        try await withThrowingTaskGroup { group in
            for number in 0..<1000 {
                group.addTask {
                    if number % 2 == 0 {
                        property.wrappedValue = Fruit(name: "n\(number)", size: number, color: "c\(number)")
                    } else if number % 50 == 1 {
                        _ = try await property.projectedValue.get().value
                    } else if number % 50 == 3 {
                        _ = try await property.projectedValue.post().value
                    } else {
                        let value = property.wrappedValue
                        if value.name.hasPrefix("n") { #expect(value.color == "c\(value.size)") }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(server.requests.count == 40)
    }

    struct Counters: Codable {
        var left = 0
        var right = 0
    }

    @Test func losesNoChangeThatIsMadeInOneStep() async {
        let property = Rest(wrappedValue: Counters(), path: "counters", configuration: makeConfiguration(server))
        await withTaskGroup { group in
            for _ in 0..<1000 { group.addTask { property.projectedValue.update { $0.left += 1 } } }
        }
        #expect(property.wrappedValue.left == 1000)
    }

    @Test func readsTheValueFromBeforeAChangeDuringIt() {
        let property = Rest(wrappedValue: Counters(), path: "counters", configuration: makeConfiguration(server))
        property.projectedValue.update { counters in
            counters.left = 5
            counters.right = property.wrappedValue.left + 1
        }
        #expect(property.wrappedValue.left == 5)
        #expect(property.wrappedValue.right == 1)
    }

    @Test func losesNoWriteThroughABindingToAnotherMember() async {
        let property = Rest(wrappedValue: Counters(), path: "counters", configuration: makeConfiguration(server))
        await withTaskGroup { group in
            group.addTask { for number in 1...1000 { property.projectedValue.left.wrappedValue = number } }
            group.addTask { for number in 1...1000 { property.projectedValue.right.wrappedValue = number } }
        }
        #expect(property.wrappedValue.left == 1000)
        #expect(property.wrappedValue.right == 1000)
    }

    #if !canImport(SwiftUI)
    struct Shelf: Codable {
        var counters = Counters()
    }

    /// The binding of SwiftUI reads and writes a member of a member in two steps.
    @Test func losesNoWriteThroughABindingToAMemberOfAMember() async {
        let property = Rest(wrappedValue: Shelf(), path: "shelf", configuration: makeConfiguration(server))
        let counters = property.projectedValue.counters
        await withTaskGroup { group in
            group.addTask { for number in 1...1000 { counters.left.wrappedValue = number } }
            group.addTask { for number in 1...1000 { counters.right.wrappedValue = number } }
        }
        #expect(property.wrappedValue.counters.left == 1000)
        #expect(property.wrappedValue.counters.right == 1000)
    }
    #endif

    @Test func consumesOneResultFromManyTasks() async throws {
        let result = property().projectedValue.get()
        try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<100 { group.addTask { try await result.value.name } }
            for try await name in group { #expect(name == "kiwi") }
        }
        #expect(server.requests.count == 1)
    }

    /// What redraws a view.
    @Test func tellsObserversOfEveryWayToChangeTheValue() async throws {
        let property = property()
        let query = property.projectedValue
        let changes: [(String, () async throws -> Void)] = [
            ("property", { property.wrappedValue = Fruit(name: "a", size: 1, color: "b") }),
            ("binding", { query.projectedValue.wrappedValue = Fruit(name: "b", size: 1, color: "b") }),
            ("update", { query.update { $0 = Fruit(name: "c", size: 1, color: "b") } }),
            ("get", { _ = try await query.get().value }),
            ("post", { _ = try await query.post(Fruit(name: "d", size: 1, color: "b")).value }),
            ("another query", { _ = try await (query ++ ["limit": 1]).get().value }),
        ]
        for (name, change) in changes {
            let told = Mutex(0)
            let before = withObservationTracking {
                property.wrappedValue
            } onChange: {
                told.withLock { $0 += 1 }
            }
            try await change()
            #expect(told.withLock { $0 } == 1, "\(name)")
            #expect(property.wrappedValue != before)
        }
    }

    /// OpenCombine's `zip` ends the process when one of its publishers signals after the other has ended it all.
    @Test func twoRequestsCanBeZipped() async throws {
        let queue = DispatchQueue(label: "delivery")
        let configuration = makeConfiguration(server)
        configuration.deliveryQueue = queue
        let completions = AsyncStream<Void>.makeStream()
        var subscriptions: [AnyCancellable] = []
        for _ in 0..<200 {
            let fruit = Rest(
                wrappedValue: Fruit(name: "apple", size: 2, color: "red"), path: "fruit", configuration: configuration)
            let both = fruit.projectedValue.get().zip(fruit.projectedValue.get())
            subscriptions.append(
                both.sink { _ in
                    completions.continuation.yield()
                } receiveValue: { both in
                    dispatchPrecondition(condition: .onQueue(queue))
                    #expect(both.0 == both.1)
                })
        }
        var completed = 0
        for await _ in completions.stream {
            completed += 1
            if completed == subscriptions.count { break }
        }
        #expect(completed == 200)
    }
}
