// SPDX-License-Identifier: Apache-2.0

public import Testing

/// The search for secrets in what is written: logs, errors, records, dumps.
///
/// It finds what has ``mark`` in it, with which the secrets of tests begin.
public enum Leaks {
    public static let mark = "s3cr3t"
    /// The same in Base64, behind `me:`.
    public static let encodedMark = "czNjcjN0"

    public static func contains(_ text: String) -> Bool { text.contains(mark) || text.contains(encodedMark) }

    /// Records an issue when a secret is in the text.
    public static func check(_ text: String, _ what: String, _ location: SourceLocation = #_sourceLocation) {
        #expect(!contains(text), "a secret is in \(what)", sourceLocation: location)
    }
}
