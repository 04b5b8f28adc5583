// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataCore
import StrataTransportSupport
import Testing

struct KeyLogFileTests {
    @Test func appendsLinesToAFileThatOnlyItsOwnerReads() throws {
        let url = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: url) }
        try Data("before\n".utf8).write(to: url)
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: url.path)
        let log = try KeyLogFile(url.path)
        log.write("CLIENT_RANDOM 00 11")
        log.write("CLIENT_RANDOM 22 33")
        #expect(try Data(contentsOf: url) == Data("before\nCLIENT_RANDOM 00 11\nCLIENT_RANDOM 22 33\n".utf8))
        let mode = try FileManager.default.attributesOfItem(atPath: url.path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
    }

    @Test func saysWhyItCannotBeWritten() {
        #expect { try KeyLogFile("/nowhere/at/all") } throws: { ($0 as? NetworkClientError)?.code == .fileFailed }
    }
}
