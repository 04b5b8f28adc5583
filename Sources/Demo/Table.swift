// SPDX-License-Identifier: Apache-2.0

/// What ran, as a table: a row for each stop, a column for each transport.
struct Table {
    struct Row {
        let stop: String
        let transport: String
        let hasPassed: Bool
    }

    let rows: [Row]

    var text: String {
        let stops = unique(rows.map(\.stop))
        let transports = unique(rows.map(\.transport))
        let width = (stops.map(\.count).max() ?? 0) + 2
        func cell(_ text: String, _ width: Int) -> String {
            text + String(repeating: " ", count: max(0, width - text.count))
        }
        let head = cell("", width) + transports.map { cell($0, 12) }.joined()
        let lines = stops.map { stop in
            cell(stop, width)
                + transports.map { transport in
                    let row = rows.first { $0.stop == stop && $0.transport == transport }
                    return cell(row.map { $0.hasPassed ? "ok" : "FAILED" } ?? "-", 12)
                }.joined()
        }
        let failed = rows.count { !$0.hasPassed }
        let verdict = failed == 0 ? "All \(rows.count) stops work." : "\(failed) of \(rows.count) stops failed."
        return ([head] + lines + ["", verdict]).joined(separator: "\n")
    }

    private func unique(_ names: [String]) -> [String] {
        var seen: Set<String> = []
        return names.filter { seen.insert($0).inserted }
    }
}
