// SPDX-License-Identifier: Apache-2.0

import StrataStreaming

/// A download's progress on one line of a terminal.
package enum ProgressLine {
    package static func text(_ progress: TransferProgress, width: Int) -> String {
        let rate = "\(size(Int64(progress.bytesPerSecond)))/s"
        guard let total = progress.total, let fraction = progress.fraction else {
            return "\(size(progress.completed))  \(rate)"
        }
        let percent = String(Int(fraction * 100))
        var end = "\(size(progress.completed)) of \(size(total))  \(rate)"
        if let remaining = progress.remaining { end += "  \(time(remaining)) left" }
        let room = max(0, min(40, width - end.count - 10))
        let filled = Int(Double(room) * fraction)
        let bar = String(repeating: "#", count: filled) + String(repeating: " ", count: room - filled)
        return "\(String(repeating: " ", count: max(0, 3 - percent.count)))\(percent)% [\(bar)] \(end)"
    }

    package static func size(_ bytes: Int64) -> String {
        guard bytes >= 1000 else { return "\(bytes) B" }
        var value = Double(bytes)
        var unit = 0
        let units = ["B", "kB", "MB", "GB", "TB", "PB", "EB"]
        while value >= 999.95, unit < units.count - 1 {
            value /= 1000
            unit += 1
        }
        return "\((value * 10).rounded() / 10) \(units[unit])"
    }

    static func time(_ duration: Duration) -> String {
        let seconds = duration.components.seconds
        if seconds < 60 { return "\(seconds) s" }
        if seconds < 3600 { return "\(seconds / 60) min" }
        return seconds < 360_000 ? "\(seconds / 3600) h" : "long"
    }
}
