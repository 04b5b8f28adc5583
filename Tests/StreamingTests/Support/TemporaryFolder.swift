// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A folder of the test's own, removed with it.
final class TemporaryFolder: Sendable {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appending(path: "strata-files-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    /// The names in it, hidden ones too.
    var names: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: url.path).sorted() }
    }

    subscript(name: String) -> URL { url.appending(path: name) }

    func text(_ name: String) throws -> String { try String(contentsOf: self[name], encoding: .utf8) }
}
