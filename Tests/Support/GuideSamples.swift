// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The Swift samples of a page of the documentation, to be compared with a test's source: what the page shows is compiled.
///
///     @Test func theGuideIsCompiled() throws {
///         #expect(try GuideSamples.missing(of: "Publishers.md", in: #filePath) == [])
///     }
public enum GuideSamples {
    /// The samples of the page that the source does not have line by line, indentation aside.
    ///
    /// - Parameter page: the name of a file in `Docs.docc`.
    public static func missing(of page: String, in source: String) throws -> [String] {
        let text = try String(contentsOf: Vectors.projectRoot.appending(path: "Docs.docc/\(page)"), encoding: .utf8)
        let samples = samples(of: text)
        guard !samples.isEmpty else { return ["\(page) has no samples"] }
        let compiled = "\n" + plain(try String(contentsOfFile: source, encoding: .utf8)) + "\n"
        return samples.filter { !compiled.contains("\n" + plain($0) + "\n") }
    }

    private static func samples(of page: String) -> [String] {
        page.components(separatedBy: "```swift\n").dropFirst().map { $0.components(separatedBy: "```")[0] }
    }

    private static func plain(_ code: String) -> String {
        code.components(separatedBy: "\n").map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
            .joined(separator: "\n")
    }
}
