// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import StrataNative

struct SocketTableTests {
    private final class Owner: SocketOwner {
        func socketIsReady(_ happened: Happened, _ engine: Engine) {}
    }

    @Test func findsTheOwnerOfAToken() {
        var table = SocketTable()
        let (one, two) = (Owner(), Owner())
        let tokens = [table.insert(one), table.insert(two)]
        #expect(table[tokens[0]] === one)
        #expect(table[tokens[1]] === two)
        #expect(table.count == 2)
    }

    @Test func aTokenIsNotGivenOutTwice() {
        var table = SocketTable()
        var tokens: Set<UInt64> = []
        for _ in 0..<100 {
            let token = table.insert(Owner())
            #expect(tokens.insert(token).inserted)
            table.remove(token)
            #expect(table[token] == nil)
        }
        #expect(table.count == 0)
    }

    @Test func aTokenOfASocketThatIsClosedReachesNobody() {
        var table = SocketTable()
        let old = table.insert(Owner())
        table.remove(old)
        let new = table.insert(Owner())
        #expect(table[old] == nil)
        table.remove(old)
        table.handOver(old, to: Owner())
        #expect(table[new] != nil)
        #expect(table.count == 1)
    }

    @Test func aSocketGoesToAnotherOwner() {
        var table = SocketTable()
        let token = table.insert(Owner())
        let heir = Owner()
        table.handOver(token, to: heir)
        #expect(table[token] === heir)
    }

    @Test func knowsNoTokenThatItHasNotGivenOut() { #expect(SocketTable()[.max] == nil) }
}
