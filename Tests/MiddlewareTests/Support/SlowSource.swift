// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataCore
import StrataTesting

/// A body of one piece, the reading of which takes its time by a virtual clock.
final class SlowSource: BodySource {
    private let source: PiecesSource
    private let time: Duration
    private let clock: VirtualClock

    init(_ text: String, taking time: Duration, by clock: VirtualClock) {
        source = PiecesSource([Data(text.utf8)])
        self.time = time
        self.clock = clock
    }

    func next() async throws -> Data? {
        let piece = try source.next()
        if piece != nil { clock.advance(by: time) }
        return piece
    }

    func cancel() { source.cancel() }
}
