// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport

/// Of the rules that a table has in words alone, those that no test of this target claims.
///
/// - Parameter claims: the names of the tests, by the ids of the rules.
func unclaimed(_ rules: [String], by claims: [String: String]) throws -> [String] {
    let folder = Vectors.projectRoot.appending(path: "Tests/MiddlewareTests")
    let files = try FileManager.default.subpathsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".swift") }
    let source = try files.map { try String(contentsOf: folder.appending(path: $0), encoding: .utf8) }.joined()
    return rules.filter { rule in claims[rule].map { !source.contains("func \($0)(") } ?? true }
}
