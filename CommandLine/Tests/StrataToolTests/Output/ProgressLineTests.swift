// SPDX-License-Identifier: Apache-2.0

import StrataStreaming
import StrataTool
import Testing

struct ProgressLineTests {
    @Test(arguments: [
        (0, "0 B"), (999, "999 B"), (1000, "1.0 kB"), (1_500_000, "1.5 MB"), (999_960, "1.0 MB"), (Int64.max, "9.2 EB"),
        (-1, "-1 B"),
    ])
    func sizesHaveUnits(bytes: Int64, text: String) { #expect(ProgressLine.size(bytes) == text) }

    @Test func aLineFitsItsTerminal() {
        let progress = TransferProgress(
            completed: 500_000, total: 1_000_000, bytesPerSecond: 250_000, elapsed: .seconds(2))
        #expect(
            ProgressLine.text(progress, width: 80)
                == " 50% [###############               ] 500.0 kB of 1.0 MB  250.0 kB/s  2 s left")
        for width in [0, 20, 40, 80, 200] { #expect(ProgressLine.text(progress, width: width).count <= max(width, 55)) }
        #expect(ProgressLine.text(TransferProgress(completed: 10), width: 80) == "10 B  0 B/s")
    }
}
