// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataCore
import TestSupport
import Testing

struct PrivateFileTests {
    private let folder: TemporaryFolder
    private var path: String { folder["token"].path }

    init() throws { folder = try TemporaryFolder() }

    @Test func aFileThatIsNotThereIsNone() throws {
        #expect(try PrivateFile.read(path) == nil)
        try PrivateFile.remove(path)
        try PrivateFile.write(Data("one".utf8), to: path)
        try PrivateFile.write(Data("two".utf8), to: path)
        #expect(try PrivateFile.read(path) == Data("two".utf8))
        try PrivateFile.remove(path)
        #expect(try PrivateFile.read(path) == nil)
    }

    @Test func whatIsNoFileIsAnError() throws {
        let place = folder.url.path
        #expect(throws: POSIXError.self) { try PrivateFile.remove(place) }
        #expect(throws: POSIXError.self) { try PrivateFile.read(place) }
        #expect(throws: POSIXError.self) { try PrivateFile.write(Data(), to: place) }
        #expect(throws: POSIXError.self) { try PrivateFile.write(Data(), to: path + "/none") }
    }
}
