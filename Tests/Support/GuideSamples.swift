// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The Swift samples of a page of the documentation, to be compared with a test's source: what the page shows is compiled.
///
///     @Test func theGuideIsCompiled() throws {
///         #expect(try GuideSamples.missing(of: "Publishers.md", in: #filePath) == [])
///     }
public enum GuideSamples {
    /// The samples of the page that the source does not have line by line, indentation aside; and the source's imports of
    /// modules that the page does not name, so that a reader would not link them.
    ///
    /// - Parameters:
    ///   - page: the name of a file in `Docs.docc`.
    ///   - tests: modules that the source needs for its tests, and not for a sample.
    public static func missing(of page: String, in source: String, besides tests: Set<String> = []) throws -> [String] {
        let text = try PackageFolder.read("Docs.docc/\(page)")
        let samples = samples(of: text)
        guard !samples.isEmpty else { return ["\(page) has no samples"] }
        let compiled = "\n" + plain(try String(contentsOfFile: source, encoding: .utf8)) + "\n"
        let modules = compiled.components(separatedBy: "\nimport ").dropFirst().map {
            $0.components(separatedBy: "\n")[0]
        }
        let unnamed = modules.filter { $0.hasPrefix("Strata") && !tests.contains($0) && !text.contains("`\($0)`") }
        return samples.filter { !compiled.contains("\n" + plain($0) + "\n") } + unnamed.map { "import \($0)" }
    }

    private static func samples(of page: String) -> [String] {
        page.components(separatedBy: "```swift\n").dropFirst().map { $0.components(separatedBy: "```")[0] }
    }

    private static func plain(_ code: String) -> String {
        code.components(separatedBy: "\n").map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
            .joined(separator: "\n")
    }
}
