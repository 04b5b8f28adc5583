// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

/// Checks that there are the tests which claim what a table has in words. Rules that are not known are passed over.
///
/// - Parameters:
///   - claims: the names of the tests, by the ids of the rules.
///   - suite: the folder of the tests.
package func check(_ claims: [String: String], for rules: [String], in file: String, by suite: String) throws {
    let folder = PackageFolder.url.appending(path: "Tests/\(suite)")
    let files = try FileManager.default.subpathsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".swift") }
    let source = try files.map { try String(contentsOf: folder.appending(path: $0), encoding: .utf8) }.joined()
    for (rule, name) in claims { #expect(source.contains("func \(name)("), "\(rule)") }
    Vectors.passOver(rules.filter { claims[$0] == nil }, of: file)
}
