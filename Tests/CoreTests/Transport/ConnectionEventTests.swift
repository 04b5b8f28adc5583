// SPDX-License-Identifier: Apache-2.0

import StrataCore
import Synchronization
import Testing

struct ConnectionEventTests {
    private let origin = Origin(scheme: "https", host: "api.example")

    @Test(arguments: [
        (ConnectionEvent.Kind.waiting, nil, "https://api.example waiting"),
        (.opened, 3, "https://api.example opened #3"), (.reused, 4, "https://api.example reused #4"),
        (.idle, 5, "https://api.example idle #5"), (.idle, nil, "https://api.example idle"),
        (.closed(.peer), 6, "https://api.example closed #6 (peer)"),
        (.closed(.client), 6, "https://api.example closed #6 (client)"),
        (.closed(.idleLimit), 6, "https://api.example closed #6 (idle limit)"),
        (.closed(.silence), 6, "https://api.example closed #6 (silence)"),
        (.closed(.exchange), 6, "https://api.example closed #6 (exchange failed)"),
        (.closed(.shutdown), 6, "https://api.example closed #6 (shutdown)"),
    ])
    func isOneLine(_ kind: ConnectionEvent.Kind, _ number: UInt64?, _ line: String) {
        let event = ConnectionEvent(kind, origin: origin, connection: number, time: .seconds(2))
        #expect("\(event)" == line)
        #expect(event.kind == kind && event.connection == number && event.origin == origin)
        #expect(event.time == .seconds(2))
    }

    @Test(
        arguments: [
            (nil, ConnectionEvent.Reason.client), (NetworkClientError(.connectionLost, ""), .peer),
            (NetworkClientError(.transportShutDown, ""), .shutdown), (NetworkClientError(.bodyTooLarge, ""), .exchange),
            (CancellationError(), .exchange),
        ] as [((any Error)?, ConnectionEvent.Reason)])
    func aConnectionIsClosedForWhatItsExchangeEndedBy(_ error: (any Error)?, _ reason: ConnectionEvent.Reason) {
        #expect(ConnectionEvent.Reason.after(error) == reason)
    }

    @Test func areToldToThoseWhoListen() throws {
        let events = ConnectionEvents()
        let heard = Mutex<[ConnectionEvent]>([])
        #expect(!events.isListenedTo)
        events.tell(.waiting, origin)
        let listening = events.listen { event in heard.withLock { $0.append(event) } }
        #expect(events.isListenedTo)
        let before = SystemClock().now
        events.tell(.opened, origin, 7)
        let after = SystemClock().now
        events.tell(ConnectionEvent(.idle, origin: origin, connection: 8, time: .seconds(1)))
        events.tell(.waiting, origin)
        listening.end()
        #expect(!events.isListenedTo)
        events.tell(.reused, origin, 7)
        let all = heard.withLock { $0 }
        #expect(all.map(\.kind) == [.opened, .idle, .waiting])
        #expect(all.map(\.connection) == [7, 8, nil])
        #expect(all.allSatisfy { $0.origin == origin })
        #expect(before <= all[0].time && all[0].time <= after)
        #expect(all[1].time == .seconds(1))
    }

    @Test func aStreamKeepsTheNewest1024() async {
        let events = ConnectionEvents()
        let stream = events.stream()
        for number in 1...1026 { events.tell(.opened, origin, UInt64(number)) }
        var numbers: [UInt64?] = []
        for await event in stream {
            numbers.append(event.connection)
            if event.connection == 1026 { break }
        }
        #expect(numbers == (3...1026).map { UInt64($0) })
    }

    @Test func noTwoConnectionsHaveTheSameNumber() {
        let numbers = (0..<100).map { _ in ConnectionEvents.nextNumber() }
        #expect(numbers == numbers.sorted() && Set(numbers).count == 100)
        #expect(numbers.allSatisfy { $0 > 0 })
    }
}
