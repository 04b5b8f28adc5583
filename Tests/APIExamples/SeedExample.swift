// SPDX-License-Identifier: Apache-2.0

/// A numbered example of the document that this module follows: the declaration as it stands there, and what has to be on
/// the wire and come back.
package struct SeedExample: Sendable, CustomStringConvertible {
    /// `S3.1`.
    package let number: String
    /// What it shows.
    let title: String
    package let run: @Sendable (Lab) async throws -> Void

    init(_ number: String, _ title: String, _ run: @escaping @Sendable (Lab) async throws -> Void) {
        self.number = number
        self.title = title
        self.run = run
    }

    package var description: String { "\(number) \(title)" }

    package static let all: [SeedExample] =
        introduction + methods + paths + queries + bodies + fields + formats + headers + replies + streams
}
