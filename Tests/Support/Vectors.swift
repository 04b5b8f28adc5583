// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import Testing

/// The conformance vectors: neutral JSON that is not part of the project.
///
/// They are read from the folder that `STRATA_VECTORS` names, by default `../shared/conformance` from the project's root.
/// Without it the tests are skipped:
///
///     @Test(.vectors("url/url-resolution.json")) func …
public enum Vectors {
    public static let missing: Comment = "no conformance vectors here (STRATA_VECTORS)"

    public static let folder: URL = {
        if let path = ProcessInfo.processInfo.environment["STRATA_VECTORS"] {
            return URL(fileURLWithPath: path, isDirectory: true)
        }
        return projectRoot.appendingPathComponent("../shared/conformance", isDirectory: true).standardizedFileURL
    }()

    /// The folder that holds `Package.swift`.
    public static let projectRoot: URL = {
        var folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        while folder.path != "/" {
            if FileManager.default.fileExists(atPath: folder.appendingPathComponent("Package.swift").path) {
                return folder
            }
            folder.deleteLastPathComponent()
        }
        return URL(fileURLWithPath: FileManager.default.currentDirectoryPath, isDirectory: true)
    }()

    public static func exist(_ file: String) -> Bool {
        FileManager.default.fileExists(atPath: folder.appendingPathComponent(file).path)
    }

    public static func data(_ file: String) throws -> Data {
        try Data(contentsOf: folder.appendingPathComponent(file))
    }

    public static func load<Model: Decodable>(_ file: String, as type: Model.Type = Model.self) throws -> Model {
        try JSONDecoder().decode(type, from: data(file))
    }
}

extension Trait where Self == ConditionTrait {
    /// Skips the test, by name, where the vectors are not there.
    public static func vectors(_ file: String) -> Self { .enabled(if: Vectors.exist(file), Vectors.missing) }
}
