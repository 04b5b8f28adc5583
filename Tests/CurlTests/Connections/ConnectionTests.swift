// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import StrataCurl

struct ConnectionTests {
    @Test func aConnectionIsIdleWhenItHasCarriedAndNobodyHasIt() {
        var connection = Connection()
        #expect(!connection.isIdleHTTP1)
        (connection.hasCarried, connection.version) = (true, .http1)
        #expect(connection.isIdleHTTP1)
        connection.user = 0
        #expect(!connection.isIdleHTTP1)
        (connection.user, connection.hasEnded) = (nil, true)
        #expect(!connection.isIdleHTTP1)
    }

    @Test func aUseIsUnknownUntilLibcurlSpeaksOfItsSocket() {
        var use = ConnectionUse()
        let isTold = use.note(7)
        #expect(!isTold)
        use.begin(nil, localPort: 0)
        #expect(use.isUnknown)
        let isToldNow = use.note(8)
        #expect(isToldNow)
        #expect((use.socket, use.spokenOf) == (8, 8))
        let isToldAgain = use.note(9)
        #expect(!isToldAgain)
        #expect((use.socket, use.spokenOf) == (8, 9))
    }

    /// The request before may be under way yet, on a connection that is not known.
    @Test func aSocketThatIsOpenedIsThatOfTheNextRequest() {
        var use = ConnectionUse()
        use.begin(nil, localPort: 0)
        use.opens(8)
        #expect(use.isUnknown)
        #expect((use.socket, use.spokenOf) == (-1, 8))
    }

    @Test func aUseThatIsOverIsNotUnknown() {
        var use = ConnectionUse()
        use.begin(nil, localPort: 0)
        use.end()
        #expect(!use.isUnknown)
        let isTold = use.note(8)
        #expect(!isTold)
        #expect(use.count == 1)
    }

    @Test func aRefusedConnectionDoesNotCount() {
        var use = ConnectionUse()
        use.begin(3, localPort: 80)
        use.end()
        use.refuse()
        #expect(use.isRefused)
        #expect(ConnectionUse(count: use.count).count == 1)
    }
}
