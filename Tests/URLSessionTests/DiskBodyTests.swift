// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataCore
import StrataTesting
import Testing

@testable import StrataURLSession

struct DiskBodyTests {
    private func read(_ body: DiskBody, by size: Int = 10_000) throws -> Data {
        var data = Data()
        var buffer = [UInt8](repeating: 0, count: size)
        while true {
            let count = try buffer.withUnsafeMutableBytes { try body.read(into: $0) }
            guard count > 0 else { return data }
            data.append(contentsOf: buffer.prefix(count))
        }
    }

    private func temporaryFile(_ data: Data) throws -> URL {
        let url = FileManager.default.temporaryDirectory.appending(path: "strata-\(UUID()).bin")
        try data.write(to: url)
        return url
    }

    @Test func readsAPartOfAFile() throws {
        let url = try temporaryFile(Data("0123456789".utf8))
        defer { try? FileManager.default.removeItem(at: url) }
        let body = try DiskBody(path: url.path(), offset: 2, length: 5)
        #expect(body.length == 5)
        #expect(try read(body, by: 3) == Data("23456".utf8))
    }

    @Test func noticesAFileThatBecameShorter() throws {
        let url = try temporaryFile(Data("0123456789".utf8))
        defer { try? FileManager.default.removeItem(at: url) }
        let body = try DiskBody(path: url.path(), offset: 0, length: 11)
        let error = #expect(throws: NetworkClientError.self) { try read(body) }
        #expect(error?.code == .uploadFailed)
    }

    @Test func namesAFileThatIsNotThere() {
        let error = #expect(throws: NetworkClientError.self) {
            try DiskBody(path: "/nowhere/at/all", offset: 0, length: 1)
        }
        #expect(error?.code == .uploadFailed)
    }

    @Test func keepsWhatAStreamProduces() async throws {
        let pieces = (0..<50).map { Data(repeating: UInt8($0), count: 9_999) }
        var progress = 0
        let body = try await DiskBody.spool(PiecesSource(pieces), expectedLength: nil) { progress += 1 }
        #expect(progress == 50)
        #expect(body.length == 50 * 9_999)
        #expect(try read(body) == Data(pieces.joined()))
    }

    @Test func keepsAStreamOfNothing() async throws {
        let body = try await DiskBody.spool(PiecesSource([]), expectedLength: 0) {}
        #expect(body.length == 0)
        #expect(try read(body).isEmpty)
    }

    @Test(arguments: [Int64(9), 11]) func holdsAStreamToItsLength(_ length: Int64) async throws {
        let source = PiecesSource([Data(count: 5), Data(count: 5)])
        let error = await #expect(throws: NetworkClientError.self) {
            try await DiskBody.spool(source, expectedLength: length) {}
        }
        #expect(error?.code == .uploadFailed)
        #expect(source.isCancelled)
    }

    @Test func passesOnWhatTheStreamThrows() async throws {
        struct Broken: Error {}
        let source = PiecesSource([Data(count: 5)], failure: Broken())
        await #expect(throws: Broken.self) { try await DiskBody.spool(source, expectedLength: nil) {} }
    }
}
