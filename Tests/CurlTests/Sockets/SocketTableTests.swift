// SPDX-License-Identifier: Apache-2.0

#if os(Linux) && !STRATA_PORTABLE_LOOP

import CStrataCurl
import Testing

@testable import StrataCurl

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

struct SocketTableTests {
    @Test func whatComesOnAnIdleConnectionOverHTTP1EndsIt() throws {
        try withTable { table, pair, events in
            table.exchange(on: pair.near, 0)
            pair.fill()
            #expect(events() == 1)
            table.cameUnwanted(on: pair.near)
            #expect(pair.isEnded)
            #expect(!table.isQuiet(pair.near))
        }
    }

    @Test func aConnectionIsWatchedAlsoWhenItsBodyWasPausedToItsEnd() throws {
        try withTable { table, pair, events in
            table.begin(on: pair.near, 0)
            table.change(pair.near, to: .input)
            table.change(pair.near, to: [])
            pair.fill()
            table.cameUnwanted(on: pair.near)
            #expect(events() == 0)
            #expect(!pair.isEnded)
            table.leave(pair.near, by: 0)
            #expect(events() == 1)
            table.cameUnwanted(on: pair.near)
            #expect(pair.isEnded)
        }
    }

    /// As libcurl 8.5.0 does.
    @Test func ofABodyThatIsHeldBackNothingIsToldThoughItIsAskedFor() throws {
        try withTable { table, pair, events in
            table.begin(on: pair.near, 0)
            table.change(pair.near, to: .input)
            pair.fill()
            #expect(events() == 1)
            table.holdBack(pair.near, true)
            #expect(events() == 0)
            table.change(pair.near, to: .input)
            #expect(events() == 0)
            table.holdBack(pair.near, false)
            #expect(events() == 1)
        }
    }

    /// Its next request is another's.
    @Test func aConnectionIsHeldBackForOneBodyAlone() throws {
        try withTable { table, pair, events in
            table.begin(on: pair.near, 0)
            table.change(pair.near, to: .input)
            table.holdBack(pair.near, true)
            table.change(pair.near, to: [])
            table.leave(pair.near, by: 0)
            table.begin(on: pair.near, 1)
            table.change(pair.near, to: .input)
            pair.fill()
            #expect(events() == 1)
        }
    }

    @Test func aConnectionOverHTTP2IsNotHeldBackForOneOfItsBodies() throws {
        try withTable { table, pair, events in
            table.begin(on: pair.near, 0, version: .http2)
            table.change(pair.near, to: .input)
            table.holdBack(pair.near, true)
            pair.fill()
            #expect(events() == 1)
        }
    }

    @Test func anEventWithoutInputEndsNothing() throws {
        try withTable { table, pair, events in
            table.exchange(on: pair.near, 0)
            table.cameUnwanted(on: pair.near)
            #expect(!pair.isEnded)
            #expect(table.isQuiet(pair.near))
            pair.fill()
            #expect(events() == 1)
        }
    }

    @Test func aConnectionOverHTTP2IsLeftToLibcurl() throws {
        try withTable { table, pair, _ in
            table.begin(on: pair.near, 0, version: .http2)
            table.leave(pair.near, by: 0)
            pair.fill()
            table.cameUnwanted(on: pair.near)
            #expect(!pair.isEnded)
        }
    }

    /// Its number may be that of a socket that blocks, where looking for input would wait.
    @Test func aConnectionThatHasClosedIsNotLookedAt() throws {
        try withTable { table, pair, _ in
            table.exchange(on: pair.near, 0)
            table.closed(pair.near)
            pair.fill()
            table.cameUnwanted(on: pair.near)
            #expect(!pair.isEnded)
            #expect(table.connection(pair.near) == nil)
        }
    }

    @Test func aLookTellsOfWhatHasComeUntilThen() throws {
        try withTable { table, pair, _ in
            table.exchange(on: pair.near, 0)
            table.look()
            #expect(table.isQuiet(pair.near))
            pair.fill()
            // It has been looked at, and costs nothing more.
            #expect(table.isQuiet(pair.near))
            table.lookEnded()
            #expect(!table.isQuiet(pair.near))
            table.look()
            #expect(pair.isEnded)
            #expect(!table.isQuiet(pair.near))
        }
    }

    @Test func aLookTellsNothingOfConnectionsThatWereInUse() throws {
        try withTable { table, pair, _ in
            table.begin(on: pair.near, 0)
            table.look()
            pair.fill()
            #expect(!table.isQuiet(pair.near))
            table.leave(pair.near, by: 0)
            #expect(!table.isQuiet(pair.near))
        }
    }

    @Test func aLookLeavesWakeUpsAndMomentsToTheLoop() throws {
        let multi = try #require(curl_multi_init())
        let queue = try #require(EventQueue(multi: multi))
        var ready = EventQueue.Ready()
        defer {
            ready.free()
            queue.close()
            curl_multi_cleanup(multi)
        }
        queue.wake()
        queue.arm(at: 1)
        #expect(queue.look { _ in })
        queue.wait(&ready, isBlocking: false)
        #expect(ready.count == 2)
    }

    @Test func whatIsNotTakenInNowIsLeftForTheNextTime() throws {
        let multi = try #require(curl_multi_init())
        let queue = try #require(EventQueue(multi: multi))
        let pairs = try (0..<3).map { _ in try Pair() }
        var ready = EventQueue.Ready()
        defer {
            ready.free()
            for pair in pairs { pair.close() }
            queue.close()
            curl_multi_cleanup(multi)
        }
        let table = SocketTable(queue)
        for pair in pairs {
            table.opened(pair.near)
            table.exchange(on: pair.near, 0)
            pair.fill()
        }
        queue.wait(&ready, isBlocking: false)
        var counts = [ready.count]
        for goesOn in [false, true] {
            _ = queue.dispatch(&ready, table, goesOn: { goesOn })
            counts.append(ready.count)
        }
        #expect(counts == [3, 2, 0])
        let areEnded = pairs.allSatisfy(\.isEnded)
        #expect(areEnded)
    }

    @Test func aConnectionThatWasEndedElsewhereTellsOfItsEnd() throws {
        try withTable { table, pair, events in
            table.begin(on: pair.near, 0)
            table.change(pair.near, to: .input)
            endConnection(pair.near)
            table.wasEnded(pair.near)
            #expect(events() == 1)
            table.leave(pair.near, by: 0)
            #expect(!table.isQuiet(pair.near))
        }
    }

    @Test func aConnectionIsFoundByItsPort() throws {
        try withTable { table, pair, _ in
            table.use(pair.near, by: 3, localPort: 80, version: .http1)
            #expect(table.socket(ofPort: 80, likely: -1, mayBeNew: false) == pair.near)
            #expect(table.socket(ofPort: 81, likely: -1, mayBeNew: false) == nil)
            #expect(table.connection(pair.near)?.user == 3)
            table.closed(pair.near)
            #expect(table.socket(ofPort: 80, likely: -1, mayBeNew: false) == nil)
        }
    }

    /// The system gives connections to different servers the same port now and then.
    @Test(arguments: [true, false]) func aNewConnectionIsNotTakenForTheOneThatHasItsPort(_ isSpokenOf: Bool) throws {
        try withTable { table, _, _ in
            let sockets = try boundToOnePort()
            defer { for socket in sockets { _ = closeSocket(socket) } }
            let (old, new) = (sockets[0], sockets[1])
            let port = try #require(localPort(old))
            #expect(localPort(new) == port)
            table.opened(old)
            #expect(table.socket(ofPort: port, likely: isSpokenOf ? old : -1, mayBeNew: true) == old)
            table.use(old, by: 0, localPort: port, version: .http1)
            table.leave(old, by: 0)
            table.opened(new)
            #expect(table.socket(ofPort: port, likely: -1, mayBeNew: false) == old)
            #expect(table.socket(ofPort: port, likely: isSpokenOf ? new : -1, mayBeNew: true) == new)
            table.use(new, by: 1, localPort: port, version: .http1)
            table.leave(new, by: 1)
            #expect(Set(table.idleConnections(besides: []).map(\.socket)) == [old, new])
            for socket in sockets { table.closed(socket) }
        }
    }

    /// Two sockets that come from the same port, as two connections to different servers may.
    private func boundToOnePort() throws -> [Int32] {
        #if canImport(Glibc)
        let kind = Int32(SOCK_STREAM.rawValue)
        #else
        let kind = SOCK_STREAM
        #endif
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        return try (0..<2).map { _ in
            let descriptor = socket(AF_INET, kind, 0)
            var yes: Int32 = 1
            setsockopt(descriptor, SOL_SOCKET, SO_REUSEPORT, &yes, socklen_t(MemoryLayout<Int32>.size))
            let bound = withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
            try #require(bound == 0)
            address.sin_port = try #require(localPort(descriptor)).bigEndian
            return descriptor
        }
    }

    @Test func twoConnectionsFromOnePortAreNotTakenForEachOther() throws {
        try withTable { table, pair, _ in
            let other = try Pair()
            defer { other.close() }
            table.opened(other.near)
            for socket in [pair.near, other.near] {
                table.use(socket, by: 0, localPort: 80, version: .http1)
                table.leave(socket, by: 0)
            }
            #expect(table.socket(ofPort: 80, likely: -1, mayBeNew: false) == nil)
            #expect(table.areQuiet(fromPort: 80))
            table.useUnknown()
            other.fill()
            table.cameUnwanted(on: other.near)
            #expect(!other.isEnded)
            #expect(!table.areQuiet(fromPort: 80))
            table.unknownUseEnded()
            table.cameUnwanted(on: other.near)
            #expect(other.isEnded)
        }
    }

    /// All come from no port.
    @Test func overUnixDomainSocketsANewConnectionIsTheOneThatWasOpened() throws {
        try withTable { table, pair, _ in
            #expect(table.socket(ofPort: 0, likely: -1, mayBeNew: true) == nil)
            #expect(table.socket(ofPort: 0, likely: pair.near, mayBeNew: false) == nil)
            #expect(table.socket(ofPort: 0, likely: pair.near, mayBeNew: true) == pair.near)
            table.use(pair.near, by: 0, localPort: 0, version: .http1)
            #expect(table.socket(ofPort: 0, likely: pair.near, mayBeNew: true) == nil)
        }
    }

    @Test func theVersionIsThatOfTheFirstRequest() throws {
        try withTable { table, pair, _ in
            table.begin(on: pair.near, 0)
            table.answered(pair.near, over: .http2)
            table.begin(on: pair.near, 1, version: .http2)
            #expect(table.connection(pair.near)?.version == .http1)
        }
    }

    @Test func whereItWasNotKnownTheFirstAnswerTellsTheVersion() throws {
        try withTable { table, pair, _ in
            table.begin(on: pair.near, 0, version: nil)
            table.answered(pair.near, over: .http1)
            #expect(table.connection(pair.near)?.version == .http1)
        }
    }

    /// A table with one connection, and how many events there are at a moment.
    private func withTable(_ body: (SocketTable, Pair, () -> Int) throws -> Void) throws {
        let multi = try #require(curl_multi_init())
        let queue = try #require(EventQueue(multi: multi))
        let pair = try Pair()
        var ready = EventQueue.Ready()
        defer {
            ready.free()
            pair.close()
            queue.close()
            curl_multi_cleanup(multi)
        }
        let table = SocketTable(queue)
        table.opened(pair.near)
        try body(table, pair) {
            queue.wait(&ready, isBlocking: false)
            return ready.count
        }
    }
}

extension SocketTable {
    fileprivate func begin(on socket: Int32, _ slot: Int, version: Connection.Version? = .http1) {
        use(socket, by: slot, localPort: 0, version: version)
    }

    /// An exchange from its request to its end.
    fileprivate func exchange(on socket: Int32, _ slot: Int) {
        begin(on: socket, slot)
        change(socket, to: .input)
        change(socket, to: [])
        leave(socket, by: slot)
    }
}

private struct Pair {
    let near: Int32
    let far: Int32

    init() throws {
        #if canImport(Glibc)
        let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
        #else
        let kind = SOCK_STREAM | SOCK_NONBLOCK
        #endif
        var ends: [Int32] = [-1, -1]
        try #require(socketpair(AF_UNIX, kind, 0, &ends) == 0)
        (near, far) = (ends[0], ends[1])
    }

    /// Whether whoever has the near end finds the end of the connection, and nothing that came before.
    var isEnded: Bool { hasEnded(near) }

    func fill() { _ = write(far, "a", 1) }

    func close() {
        for end in [near, far] { _ = closeSocket(end) }
    }
}

#endif
