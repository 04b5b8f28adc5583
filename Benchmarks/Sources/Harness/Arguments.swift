// SPDX-License-Identifier: Apache-2.0

/// `KEY=value` arguments of the command line.
public struct Arguments: Sendable {
    private let values: [String: String]

    public init() {
        values = Dictionary(
            CommandLine.arguments.dropFirst().compactMap { argument in
                let pair = argument.split(separator: "=", maxSplits: 1).map(String.init)
                return pair.count == 2 ? (pair[0], pair[1]) : nil
            }, uniquingKeysWith: { $1 })
    }

    public func text(_ key: String, _ fallback: String) -> String { values[key] ?? fallback }
    public func number(_ key: String, _ fallback: Int) -> Int { values[key].flatMap(Int.init) ?? fallback }

    /// Where requests go; every benchmark needs one.
    public var url: String { text("url", "http://127.0.0.1:18080/1k") }
}
