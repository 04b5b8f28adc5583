// SPDX-License-Identifier: Apache-2.0

import StrataCore
import Testing

@testable import StrataMiddleware

/// How many members of a scope are remembered.
struct LoadTablePlacesTests {
    private struct Entry: LoadEntry {
        var isIdle = true
        var isWorthKeeping = false
    }

    private func place(_ key: String, in table: inout LoadTable<Entry>) throws -> Int {
        table.place(of: try TransportRequest(url: "https://a.example/"), key: key)
    }

    @Test(arguments: [0, 1, 5, 20]) func noMoreThanTwiceAsManyAsAreInUse(inUse: Int) throws {
        var table = LoadTable(.key { _ in "" }, new: Entry(), capacity: 8)
        let busy = try (0..<inUse).map { number in
            let busy = try place("busy \(number)", in: &table)
            table[busy].isIdle = false
            return busy
        }
        for number in 0..<1000 { _ = try place("\(number)", in: &table) }
        #expect(Array(table.all).count <= max(8, 2 * inUse))
        #expect(busy.allSatisfy { !table[$0].isIdle })
        // Those are found where they were.
        #expect(try busy.indices.allSatisfy { try place("busy \($0)", in: &table) == busy[$0] })
    }

    @Test func whatIsWorthKeepingIsForgottenLast() throws {
        var table = LoadTable(.key { _ in "" }, new: Entry(), capacity: 8)
        let kept = try place("kept", in: &table)
        table[kept].isWorthKeeping = true
        for number in 0..<1000 { _ = try place("\(number)", in: &table) }
        #expect(try place("kept", in: &table) == kept && table[kept].isWorthKeeping)
    }
}
