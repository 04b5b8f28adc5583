// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataCore
import StrataTesting
import Testing

@testable import StrataURLSession

struct SpoolTests {
    private func read(_ body: FileBodySource, by size: Int = 10_000) throws -> Data {
        var data = Data()
        var buffer = [UInt8](repeating: 0, count: size)
        while true {
            let count = try buffer.withUnsafeMutableBytes { try body.read(into: $0) }
            guard count > 0 else { return data }
            data.append(contentsOf: buffer.prefix(count))
        }
    }

    @Test func keepsWhatAStreamProduces() async throws {
        let pieces = (0..<50).map { Data(repeating: UInt8($0), count: 9_999) }
        let body = try await FileBodySource.spool(PiecesSource(pieces))
        #expect(body.length == 50 * 9_999)
        #expect(try read(body) == Data(pieces.joined()))
    }

    @Test func keepsAStreamOfNothing() async throws {
        let body = try await FileBodySource.spool(PiecesSource([]))
        #expect(body.length == 0)
        #expect(try read(body).isEmpty)
    }

    @Test func passesOnWhatTheStreamThrows() async throws {
        struct Broken: Error {}
        let source = PiecesSource([Data(count: 5)], failure: Broken())
        await #expect(throws: Broken.self) { try await FileBodySource.spool(source) }
        #expect(source.isCancelled)
    }
}
