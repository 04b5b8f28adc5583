// SPDX-License-Identifier: Apache-2.0

/// The rows of the table on the page `Values` of the documentation.
enum ValuesPage {
    static var lines: [String] {
        let head = ["value"] + Place.allCases.map(\.rawValue)
        return [row(head), row(head.map { _ in "---" })] + ValueTable.rows.map(line)
    }

    private static func line(_ value: ValueRow) -> String {
        row([value.name] + Place.allCases.map { text(value.cells[$0] ?? .nothing) + differences(value, $0) })
    }

    /// What a front end sends instead.
    private static func differences(_ value: ValueRow, _ place: Place) -> String {
        value.exceptions.filter { $0.place == place }
            .map { "; \($0.frontEnd.rawValue): \(text($0.cell))" }.joined()
    }

    private static func text(_ cell: Cell) -> String {
        switch cell {
        case .sent(""): "an empty text"
        case .sent(let text): "`\(text.replacing("|", with: "and"))`"
        case .nothing: "–"
        case .error: "error"
        }
    }

    private static func row(_ cells: [String]) -> String { "| " + cells.joined(separator: " | ") + " |" }
}
