// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation

enum Signals {
    /// Returns when the first of the signals arrives, which does not end the process by itself. A second one does.
    static func wait(for signals: [Int32]) async {
        let (arrivals, arrival) = AsyncStream.makeStream(of: Int32.self)
        let sources = signals.map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number)
            source.setEventHandler { arrival.yield(number) }
            source.resume()
            return source
        }
        for await _ in arrivals { break }
        for source in sources { source.cancel() }
        for number in signals { signal(number, SIG_DFL) }
    }
}
