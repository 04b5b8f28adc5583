// SPDX-License-Identifier: Apache-2.0

extension Duration {
    /// Whole milliseconds, rounded towards zero; limited to what an `Int64` holds.
    package var milliseconds: Int64 {
        // `components` traps beyond that.
        let limit = Duration.seconds(Int64.max / 1000)
        if self > limit { return .max }
        if self < .zero - limit { return .min }
        let (seconds, attoseconds) = components
        return seconds * 1000 + attoseconds / 1_000_000_000_000_000
    }

    /// For people, to the millisecond: `0 s`, `250 ms`, `2 s`, `1.5 s`.
    package var brief: String {
        let total = milliseconds
        let (seconds, rest) = total.quotientAndRemainder(dividingBy: 1000)
        if rest == 0 { return "\(seconds) s" }
        if seconds == 0 { return "\(total) ms" }
        var fraction = String(rest.magnitude + 1000).dropFirst()
        while fraction.last == "0" { fraction.removeLast() }
        return "\(seconds).\(fraction) s"
    }
}
