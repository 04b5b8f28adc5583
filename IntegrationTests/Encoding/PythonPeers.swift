// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataEncoding
import TestSupport
import Testing

/// Python's parsers of forms and multipart bodies, where `scripts/python-peers` has installed them.
enum PythonPeers {
    static let missing: Comment = "no Python parsers here (scripts/python-peers)"

    private static let named = ProcessInfo.processInfo.environment["STRATA_PEERS_PYTHON"]
    private static let folder = PackageFolder.url.appendingPathComponent(".venv/peers")

    /// The interpreter; `STRATA_PEERS_PYTHON` names another one.
    static var interpreter: String { named ?? folder.appendingPathComponent("bin/python").path }

    private static var script: String {
        PackageFolder.url.appendingPathComponent("scripts/peers/read_bodies.py").path
    }

    /// The interpreter is there before the parsers are; the script writes the file when all is.
    static var areHere: Bool {
        FileManager.default.fileExists(atPath: named ?? folder.appendingPathComponent("installed").path)
    }

    /// Whether the interpreter has a module that others of the script's packages bring along.
    static func has(_ module: String) -> Bool {
        guard areHere else { return false }
        let asked = Process()
        asked.executableURL = URL(fileURLWithPath: interpreter)
        asked.arguments = ["-c", "import \(module)"]
        asked.standardError = FileHandle.nullDevice
        guard (try? asked.run()) != nil else { return false }
        asked.waitUntilExit()
        return asked.terminationStatus == 0
    }

    /// Asks the script about all bodies at once; an answer for each.
    static func ask(_ messages: [JSONValue]) throws -> [JSONValue] {
        let folder = try TemporaryFolder()
        let (input, output) = (folder["in"], folder["out"])
        try JSONLinesEncoder().encode(messages).write(to: input)
        try Data().write(to: output)
        let process = Process()
        process.executableURL = URL(fileURLWithPath: interpreter)
        process.arguments = [script]
        process.standardInput = try FileHandle(forReadingFrom: input)
        process.standardOutput = try FileHandle(forWritingTo: output)
        try process.run()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0)
        let answers = try JSONLinesDecoder().decode([JSONValue].self, from: Data(contentsOf: output))
        try #require(answers.count == messages.count)
        return answers
    }

    /// What a parser has read.
    struct Field: Hashable {
        var name: String
        var filename: String?
        var value: Data

        init(name: String, filename: String? = nil, value: Data) {
            self.name = name
            self.filename = filename
            self.value = value
        }

        init(_ field: JSONValue) {
            name = field[0]?.string ?? ""
            filename = field[1]?.string
            value = field[2]?.string.flatMap { Data(base64Encoded: $0) } ?? Data()
        }
    }
}
