// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Synchronization

/// A number that several tasks add to.
final class Tally: Sendable {
    private let count = Atomic(0)

    var value: Int { count.load(ordering: .acquiring) }

    func add(_ number: Int) { count.wrappingAdd(number, ordering: .acquiringAndReleasing) }
}

/// The interim responses that a transport hands over.
final class InterimLog: Sendable {
    private let heads = Mutex<[HTTPResponse]>([])

    var all: [HTTPResponse] { heads.withLock { $0 } }
    var codes: [Int] { all.map(\.status.code) }

    func add(_ head: HTTPResponse) { heads.withLock { $0.append(head) } }
}
