// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import Testing

/// The conformance vectors: neutral JSON that is not part of the project.
///
/// They are read from the folder that `STRATA_VECTORS` names, by default `../shared/conformance` from the project's root.
/// Without it the tests are skipped:
///
///     @Test(.vectors("url/url-resolution.json")) func …
///
/// There are several sets of them, with other cases in the same files. Tests judge the cases that are there, however many and
/// whatever their names.
public enum Vectors {
    public static let missing: Comment = "no conformance vectors here (STRATA_VECTORS)"

    public static let folder: URL = {
        if let path = ProcessInfo.processInfo.environment["STRATA_VECTORS"] {
            return URL(fileURLWithPath: path, isDirectory: true)
        }
        return PackageFolder.url.appendingPathComponent("../shared/conformance", isDirectory: true).standardizedFileURL
    }()

    private static let isOfOnesOwn = ProcessInfo.processInfo.environment["STRATA_VECTORS"] != nil

    public static func exist(_ file: String) -> Bool {
        FileManager.default.fileExists(atPath: folder.appendingPathComponent(file).path)
    }

    public static func data(_ file: String) throws -> Data {
        try Data(contentsOf: folder.appendingPathComponent(file))
    }

    public static func load<Model: Decodable>(_ file: String, as type: Model.Type = Model.self) throws -> Model {
        try JSONDecoder().decode(type, from: data(file))
    }

    /// The cases of a list in a file, each decoded by itself: one that cannot be is an issue of its own.
    ///
    /// None when the list is empty. One that is not there is an issue in the default folder, where its name is known to be right.
    public static func cases<Case: Decodable>(
        _ file: String, _ list: String = "cases", of type: Case.Type = Case.self,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> [Case] {
        let decoder = JSONDecoder()
        CodingUserInfoKey(rawValue: "list").map { decoder.userInfo[$0] = list }
        guard let found = try decoder.decode(CaseList<Case>.self, from: data(file)).cases else {
            if !isOfOnesOwn { Issue.record("\(file) has no list '\(list)'", sourceLocation: sourceLocation) }
            return []
        }
        return found.enumerated().compactMap { index, result in
            do {
                return try result.get()
            } catch {
                Issue.record(error, "\(file), \(list)[\(index)] is of another form", sourceLocation: sourceLocation)
                return nil
            }
        }
    }

    /// Judges a case. Where it merely may hold, or leaves a choice, another answer is noted and is no failure.
    public static func judge(_ id: String, _ level: String? = nil, _ body: () async throws -> Void) async rethrows {
        try await withKnownIssue("\(id), which may be otherwise", isIntermittent: true) {
            try await body()
        } when: {
            level == "may" || level == "policy"
        }
    }

    /// Tells of the cases that are about something that nobody here can judge.
    public static func passOver(_ ids: [String], of file: String) {
        if !ids.isEmpty { print("\(file): passed over \(ids.joined(separator: ", "))") }
    }
}

/// A list in a file, by the name in the decoder's `userInfo`.
private struct CaseList<Case: Decodable>: Decodable {
    private struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    let cases: [Result<Case, any Error>]?

    init(from decoder: any Decoder) throws {
        let key = Key(stringValue: decoder.userInfo.values.first as? String ?? "")
        let container = try decoder.container(keyedBy: Key.self)
        guard container.contains(key) else {
            cases = nil
            return
        }
        var list = try container.nestedUnkeyedContainer(forKey: key)
        var cases: [Result<Case, any Error>] = []
        while !list.isAtEnd {
            let element = try list.superDecoder()
            cases.append(Result { try Case(from: element) })
        }
        self.cases = cases
    }
}

extension Trait where Self == ConditionTrait {
    /// Skips the test, by name, where the vectors are not there.
    public static func vectors(_ file: String) -> Self { .enabled(if: Vectors.exist(file), Vectors.missing) }
}
