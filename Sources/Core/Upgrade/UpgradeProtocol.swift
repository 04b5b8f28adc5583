// SPDX-License-Identifier: Apache-2.0

/// The name of a protocol that a connection can be switched to: `websocket`, `IRC/6.9` (RFC 9110 §7.8).
package struct UpgradeProtocol: Sendable {
    /// In lower case: names compare so.
    private let name: String
    private let version: Substring?

    /// `nil` when the text is neither a token nor two with a slash between.
    package init?(_ text: some StringProtocol) {
        let parts = String(text).split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy(\.isTokenCharacter) }) else { return nil }
        name = String(parts[0]).asciiLowercased
        version = parts.count > 1 ? parts[1] : nil
    }

    /// Whether it is among those that the `Upgrade` fields of a 101 name. There is one for each layer that was put on the connection.
    package func isAmong(_ values: [String]) -> Bool {
        values.joined(separator: ",").split(separator: ",").contains { part in
            UpgradeProtocol(Substring(part.utf8.trimmingBlanks)).map { $0.name == name && $0.version == version }
                ?? false
        }
    }
}
