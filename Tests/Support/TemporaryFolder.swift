// SPDX-License-Identifier: Apache-2.0

package import Foundation

/// A folder of the test's own, removed with it.
package final class TemporaryFolder: Sendable {
    package let url: URL

    package init() throws {
        url = FileManager.default.temporaryDirectory.appending(path: "strata-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    /// The names in it, hidden ones too.
    package var names: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: url.path).sorted() }
    }

    package subscript(name: String) -> URL { url.appending(path: name) }

    /// A number that the system keeps of a file.
    package func attribute(_ key: FileAttributeKey, of name: String) throws -> Int? {
        try (FileManager.default.attributesOfItem(atPath: self[name].path)[key] as? NSNumber)?.intValue
    }

    package func text(_ name: String) throws -> String { try String(contentsOf: self[name], encoding: .utf8) }
}
