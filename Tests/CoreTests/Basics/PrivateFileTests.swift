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

    @Test func anErrorIsThatOfTheSystem() throws {
        try PrivateFile.write(Data("s3cret".utf8), to: path)
        for work: () throws -> Void in [
            { _ = try PrivateFile.read(path + "/none") }, { try PrivateFile.write(Data(), to: path + "/none") },
            { try PrivateFile.remove(path + "/none") },
        ] {
            #expect(throws: POSIXError(.ENOTDIR)) { try work() }
        }
        #expect(throws: POSIXError(.ENOENT)) { try PrivateFile.write(Data(), to: folder["none/token"].path) }
        #expect(try PrivateFile.read(path) == Data("s3cret".utf8))
    }

    /// Also in pieces of any size, and without a file beside it.
    @Test func isWrittenWholeForItsOwnerAlone() throws {
        for count in [0, 1, 64 * 1024 - 1, 64 * 1024, 64 * 1024 + 1, 200_000] {
            let data = Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) })
            try PrivateFile.write(data, to: path)
            #expect(try PrivateFile.read(path) == data)
        }
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["token"])
        #expect(throws: POSIXError.self) { try PrivateFile.write(Data(), to: folder.url.path) }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["token"])
    }
}
