// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataCore
import StrataTesting
import TestSupport
import Testing

/// A cassette whose process is killed while it records: what was written before is there and whole, and the next one goes on.
@Suite(.timeLimit(.minutes(5)))
struct CassetteKillTests {
    private let folder: TemporaryFolder
    private let file: URL

    init() throws {
        folder = try TemporaryFolder()
        file = folder["killed.har"]
    }

    /// - Parameters:
    ///   - end: what kills the process, in the words of `ChildProcess`.
    ///   - lines: kills it after so many exchanges.
    /// - Returns: the paths that it said were written.
    private func record(
        _ round: Int, until end: String, killedAfter lines: Int? = nil
    ) async throws -> (written: [String], end: Subprocess.End) {
        let program = try #require(Subprocess.program("ChildProcess"))
        return try await Subprocess.blocking { [folder, file] in
            let process = try Subprocess.start(
                [program, "record", file.path, String(round), end], in: folder.url, isRead: true)
            var written: [String] = []
            while let line = process.nextLine() {
                written.append(line)
                if written.count == lines { process.send(SIGKILL) }
            }
            return (written, process.waitForEnd())
        }
    }

    /// - Returns: the paths in the file. All of them have their whole bodies.
    private func paths() throws -> [String] {
        let cassette = try Cassette(contentsOf: file)
        return try cassette.entries.map { entry in
            let path = String(entry.url.dropFirst("https://api.example".count))
            let body = Data(base64Encoded: try entry.responseBody())
            #expect(body == StoredBody.make(for: path), "\(path)")
            #expect(entry.status == 200 && entry.failure == nil)
            return path
        }
    }

    @Test func whatIsWrittenBeforeAKillIsThere() async throws {
        var written: [String] = []
        for (round, count) in [0, 1, 2, 7].enumerated() {
            let (paths, end) = try await record(round, until: String(count))
            #expect(end == .signal(SIGKILL))
            #expect(paths.count == count)
            written += paths
            #expect(try self.paths() == written)
            #expect(try Cassette(contentsOf: file).isCutOff == false)
        }
    }

    @Test func aKillFromOutsideLosesNothingThatIsWritten() async throws {
        var written: Set<String> = []
        for (round, lines) in [1, 2, 3, 5, 8, 13].enumerated() {
            let (paths, end) = try await record(round, until: "1000000", killedAfter: lines)
            #expect(end == .signal(SIGKILL))
            #expect(paths.count >= lines)
            written.formUnion(paths)
            #expect(try Set(self.paths()).isSuperset(of: written))
        }
    }

    /// The system kills it when it writes one byte more: anywhere in an entry.
    @Test func anEntryThatIsCutOffCostsItselfAlone() async throws {
        var written: [String] = []
        var cuts = 0
        _ = try await record(0, until: "1")
        written = try paths()
        for (round, more) in [1, 2, 3, 60, 500, 1000, 2500, 9000].enumerated() {
            let size = try Data(contentsOf: file).count
            let (paths, end) = try await record(round + 1, until: "size:\(size + more)")
            #expect(end == .signal(SIGXFSZ))
            written += paths
            // An entry may have been written whole whose process was killed before it could say so.
            let found = try self.paths()
            #expect(Array(found.prefix(written.count)) == written)
            #expect(found.count <= written.count + 1)
            written = found
            if try Cassette(contentsOf: file).isCutOff { cuts += 1 }
        }
        #expect(cuts > 4)
        // Who records next removes what is cut off.
        written += try await record(100, until: "2").written
        #expect(try paths() == written)
        #expect(try Cassette(contentsOf: file).isCutOff == false)
    }
}
