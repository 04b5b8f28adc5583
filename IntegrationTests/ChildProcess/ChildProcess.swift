// SPDX-License-Identifier: Apache-2.0

import Foundation

/// What tests have another process do, to see what it leaves behind and how two get along.
///
///     ChildProcess store FOLDER SEED
///     ChildProcess record FILE ROUND COUNT|size:BYTES
///     ChildProcess renew FILE URL COUNT
@main
struct ChildProcess {
    static func main() async throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        switch (arguments.first, arguments.count) {
        case ("store", 3): try await ResponseStoring.run(in: arguments[1], seed: number(arguments[2]))
        case ("record", 4): try await Recording.run(arguments[1], round: arguments[2], end: Recording.End(arguments[3]))
        case ("renew", 4): try await Renewing.run(arguments[1], url: arguments[2], count: number(arguments[3]))
        default: fail("usage: see ChildProcess.swift")
        }
    }

    static func number(_ text: String) -> Int {
        guard let number = Int(text) else { fail("\(text) is no number") }
        return number
    }

    /// Tells the test, at once.
    static func say(_ line: String) { FileHandle.standardOutput.write(Data("\(line)\n".utf8)) }

    static func fail(_ message: String) -> Never {
        FileHandle.standardError.write(Data("\(message)\n".utf8))
        exit(2)
    }
}
