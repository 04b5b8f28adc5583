// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataCore
import StrataTesting
import Testing

struct LimitedSourceTests {
    private static let text = Data("0123456789".utf8)

    /// In pieces of `size` bytes.
    private func source(_ size: Int) -> PiecesSource {
        PiecesSource(stride(from: 0, to: 10, by: size).map { Self.text[$0..<min(10, $0 + size)] })
    }

    @Test(arguments: 1...10, [10, 11]) func givesABodyWithinTheLimit(_ size: Int, _ limit: Int) async throws {
        let body = ResponseBody(length: nil, source: LimitedSource(source(size), limit: limit))
        #expect(try await body.collect() == Self.text)
    }

    @Test(arguments: 1...10, [-1, 0, 1, 4, 9])
    func failsBehindTheLastByteAllowed(_ size: Int, _ limit: Int) async throws {
        let source = source(size)
        let limited = LimitedSource(source, limit: limit)
        var seen = Data()
        let error = await #expect(throws: NetworkClientError.self) {
            while let piece = try await limited.next() { seen.append(piece) }
        }
        #expect(error?.code == .bodyTooLarge)
        #expect(seen == Self.text.prefix(max(0, limit)))
        #expect(source.isCancelled)
        await #expect(throws: NetworkClientError.self) { try await limited.next() }
    }
}
