// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataCore
import TestSupport
import Testing

struct FileBodySourceTests {
    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder["digits"].path
        try Data("0123456789".utf8).write(to: folder["digits"])
    }

    @Test func readsThePartThatIsAskedFor() throws {
        let source = try FileBodySource(path: path, offset: 2, length: 5)
        #expect(try source.next() == Data("23456".utf8))
        #expect(try source.next() == nil)
    }

    @Test func aFileThatBecomesShorterIsSaidToHave() throws {
        let source = try FileBodySource(path: path, offset: 0, length: 20)
        #expect(try source.next()?.count == 10)
        #expect {
            _ = try source.next()
        } throws: { error in
            (error as? NetworkClientError)?.code == .uploadFailed && "\(error)".contains("became shorter")
        }
    }

    @Test func aFileThatIsGoneCannotBeOpened() throws {
        let body = try RequestBody.file(folder["digits"])
        try FileManager.default.removeItem(at: folder["digits"])
        let error = #expect(throws: NetworkClientError.self) { try body.makeSource() }
        #expect(error?.code == .uploadFailed)
        #expect(error?.message == "the file could not be opened: No such file or directory")
    }

    @Test func aPartMustLieInTheFile() throws {
        let rows: [(offset: Int64, length: Int64?, expected: Int64?)] = [
            (0, nil, 10), (3, nil, 7), (10, nil, 0), (11, nil, nil), (-1, nil, nil), (0, 0, 0), (0, 10, 10),
            (0, 11, nil), (0, -1, nil), (10, 0, 0), (10, 1, nil), (4, 6, 6), (4, 7, nil), (1, .max, nil),
        ]
        for row in rows {
            guard let expected = row.expected else {
                let error = #expect(throws: NetworkClientError.self) {
                    try RequestBody.file(folder["digits"], offset: row.offset, length: row.length)
                }
                #expect(error?.code == .uploadFailed)
                #expect(error?.message == "the file at \(path) is shorter than the part that is to be sent")
                continue
            }
            let body = try RequestBody.file(folder["digits"], offset: row.offset, length: row.length)
            #expect(body.length == expected)
        }
    }

    @Test func isReadInPieces() throws {
        let data = Data((0..<130_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        try data.write(to: folder["digits"])
        let source = try FileBodySource(path: path, offset: 0, length: 130_000)
        #expect(source.length == 130_000)
        let pieces = [try source.next(), try source.next(), try source.next()]
        #expect(pieces == [data[..<65536], data[65536...], nil])
    }

    @Test func othersMayTakeBytesOutOfTheFile() throws {
        let source = try FileBodySource(path: path, offset: 1, length: 5)
        var asked: [[Int64]] = []
        func take(_ most: Int, _ taken: Int) throws -> Int {
            try source.transfer(most) { _, offset, count in
                asked.append([offset, Int64(count)])
                return taken
            }
        }
        #expect(try take(3, 2) == 2)
        #expect(try take(10, 3) == 3)
        #expect(try take(10, 9) == 0)
        #expect(asked == [[1, 3], [3, 3]])
        source.cancel()
        #expect(throws: CancellationError.self) { try take(1, 1) }
    }

    @Test func aPartMayBeOneByte() throws {
        let source = try FileBodySource(path: path, offset: 9, length: 1)
        #expect(try source.next() == Data("9".utf8))
        #expect(try source.next() == nil)
    }
}
