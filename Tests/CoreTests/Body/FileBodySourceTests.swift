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
}
