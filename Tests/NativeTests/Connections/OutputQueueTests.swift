// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataCore
import TestSupport
import Testing

@testable import StrataNative

struct OutputQueueTests {
    /// Takes up to `most` bytes off the front, as a socket would.
    private func take(_ most: Int, of queue: inout OutputQueue) throws -> [UInt8] {
        var taken: [UInt8] = []
        var failure: (any Error)?
        queue.withFirst { first in
            switch first {
            case .bytes(let bytes): taken = Array(bytes.prefix(most))
            case .file(let file):
                taken = [UInt8](repeating: 0, count: most)
                do {
                    let count = try file.transfer(most) { descriptor, offset, count in
                        taken.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, count, off_t(offset)) }
                    }
                    taken.removeLast(most - count)
                } catch {
                    (failure, taken) = (error, [])
                }
            }
            return taken.count
        }
        if let failure { throw failure }
        return taken
    }

    @Test(arguments: [1, 3, 7, 100]) func givesOutInOrderWhatWasPutIn(_ most: Int) throws {
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        try Data("xx0123456789yy".utf8).write(to: folder["file"])
        var queue = OutputQueue()
        queue.append(Data("head,".utf8))
        queue.append(Data())
        queue.append(try FileBodySource(path: folder["file"].path, offset: 2, length: 10))
        for number in 0..<20 { queue.append(Data(",\(number)".utf8)) }
        let expected = "head,0123456789" + (0..<20).map { ",\($0)" }.joined()
        #expect(queue.count == expected.utf8.count)
        var taken: [UInt8] = []
        while !queue.isEmpty { taken += try take(most, of: &queue) }
        #expect(String(decoding: taken, as: UTF8.self) == expected)
        #expect(queue.count == 0)
        queue.append(Data("a".utf8))
        queue.removeAll()
        #expect(queue.isEmpty)
    }

    @Test func aFileThatIsClosedOrShorterFails() throws {
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        try Data("0123".utf8).write(to: folder["file"])
        let file = try FileBodySource(path: folder["file"].path, offset: 0, length: 4)
        var queue = OutputQueue()
        queue.append(file)
        #expect(try take(2, of: &queue) == Array("01".utf8))
        file.cancel()
        #expect(throws: CancellationError.self) { try take(2, of: &queue) }
        #expect(queue.count == 2)
    }
}
