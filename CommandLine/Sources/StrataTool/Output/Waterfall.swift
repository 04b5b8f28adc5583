// SPDX-License-Identifier: Apache-2.0

import StrataCore

/// The record of a call as bars in time: each attempt with its name lookup, connection, TLS handshake, wait and body.
package struct Waterfall {
    private let record: ExchangeRecord
    private let palette: Palette
    private let width: Int
    private let end: Double

    package init(_ record: ExchangeRecord, palette: Palette, width: Int = 80) {
        self.record = record
        self.palette = palette
        self.width = max(20, min(width, 160) - 2)
        var ends = record.attempts.map { Self.milliseconds($0.started) + Self.milliseconds(Self.length(of: $0)) }
        ends += record.waits.map { Self.milliseconds($0.started + $0.duration) }
        ends.append(Self.milliseconds(record.total))
        end = max(ends.max() ?? 0, 0.001)
    }

    private static func length(of attempt: ExchangeRecord.Attempt) -> Duration {
        attempt.metrics?.total ?? attempt.duration ?? .zero
    }

    package var text: String {
        var lines = ["0 " + String(repeating: " ", count: max(1, width - 3 - Self.text(end).count)) + Self.text(end)]
        for (index, attempt) in record.attempts.enumerated() {
            lines.append(headline(index + 1, attempt))
            lines.append(palette.paint("[", .faint) + bar(attempt) + palette.paint("]", .faint))
            lines += details(attempt).map { "  " + palette.paint($0, .faint) }
        }
        for wait in record.waits {
            lines.append("waited \(Self.text(Self.milliseconds(wait.duration))) for \(wait.cause)")
        }
        if let noRetry = record.noRetry { lines.append("no retry: \(noRetry)") }
        if record.served != .network { lines.append("served: \(record.served)") }
        if record.attempts.isEmpty { lines.append("nothing was sent") }
        lines.append(palette.paint("d name lookup  c connect  s TLS  . wait  # body", .faint))
        return lines.joined(separator: "\n") + "\n"
    }

    private func headline(_ number: Int, _ attempt: ExchangeRecord.Attempt) -> String {
        var line = "#\(number) \(attempt.reason): \(attempt.method.rawValue) \(TerminalText.safe(attempt.url))"
        if let status = attempt.status {
            line += " -> " + palette.paint("\(status.code)", palette.role(ofStatus: status.code))
        }
        if let error = attempt.error { line += " -> " + palette.paint("\(error)", .failure) }
        if attempt.hasCredentialsInClear { line += palette.paint(" (credentials in clear)", .failure) }
        return line
    }

    private func bar(_ attempt: ExchangeRecord.Attempt) -> String {
        let start = Self.milliseconds(attempt.started)
        let total = Self.milliseconds(Self.length(of: attempt))
        var cells = [Character](repeating: " ", count: width)
        func fill(_ from: Double, _ to: Double, _ mark: Character) {
            guard to >= from else { return }
            let first = min(width - 1, Int((start + from) / end * Double(width)))
            let last = min(width - 1, Int((start + to) / end * Double(width)))
            for index in first...max(first, last) { cells[index] = mark }
        }
        let metrics = attempt.metrics
        let head = metrics?.firstByte.map(Self.milliseconds) ?? attempt.duration.map(Self.milliseconds) ?? total
        fill(0, head, ".")
        var last = 0.0
        for (moment, mark) in [(metrics?.nameLookup, "d"), (metrics?.connected, "c"), (metrics?.secured, "s")] {
            guard let moment else { continue }
            fill(last, Self.milliseconds(moment), Character(mark))
            last = Self.milliseconds(moment)
        }
        if total > head { fill(head, total, "#") }
        return String(cells)
    }

    private func details(_ attempt: ExchangeRecord.Attempt) -> [String] {
        let metrics = attempt.metrics
        let moments: [(String, Duration?)] = [
            ("name", metrics?.nameLookup), ("connected", metrics?.connected), ("TLS", metrics?.secured),
            ("first byte", metrics?.firstByte), ("end", metrics?.total ?? attempt.duration),
        ]
        var parts = moments.compactMap { name, moment in moment.map { "\(name) \(Self.tenths(Self.milliseconds($0)))" }
        }
        if !parts.isEmpty { parts[parts.count - 1] += " ms" }
        if attempt.bytesReceived > 0 { parts.append(ProgressLine.size(attempt.bytesReceived)) }
        let connection = [metrics?.httpVersion, metrics?.remoteAddress].compactMap(\.self).joined(separator: " at ")
        let state = metrics?.isConnectionReused == true ? " (reused)" : ""
        let pieces = [connection + state, parts.joined(separator: ", ")].filter { !$0.isEmpty }
        let line = pieces.joined(separator: ": ")
        return line.count <= width ? [line] : pieces
    }

    private static func milliseconds(_ duration: Duration) -> Double {
        Double(duration.components.seconds) * 1e3 + Double(duration.components.attoseconds) / 1e15
    }

    static func text(_ milliseconds: Double) -> String {
        if milliseconds >= 1000 { return "\((milliseconds / 10).rounded() / 100) s" }
        return "\(tenths(milliseconds)) ms"
    }

    private static func tenths(_ milliseconds: Double) -> String { "\((milliseconds * 10).rounded() / 10)" }
}
