// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataCore
import Testing

struct FileBodySourceTests {
    private func withFile(_ bytes: Data, _ body: (String) throws -> Void) throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "strata-\(UUID())")
        try bytes.write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        try body(file.path)
    }

    @Test func readsThePartThatIsAskedFor() throws {
        try withFile(Data("0123456789".utf8)) { path in
            let source = try FileBodySource(path: path, offset: 2, length: 5)
            #expect(try source.next() == Data("23456".utf8))
            #expect(try source.next() == nil)
        }
    }

    @Test func aFileThatBecomesShorterIsSaidToHave() throws {
        try withFile(Data("0123456789".utf8)) { path in
            let source = try FileBodySource(path: path, offset: 0, length: 20)
            #expect(try source.next()?.count == 10)
            #expect {
                _ = try source.next()
            } throws: { error in
                (error as? NetworkClientError)?.code == .uploadFailed && "\(error)".contains("became shorter")
            }
        }
    }
}
