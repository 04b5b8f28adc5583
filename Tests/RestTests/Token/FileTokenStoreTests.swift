// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataRest
import TestSupport
import Testing

struct FileTokenStoreTests {
    @Test func keepsTheTokenForItsOwnerAlone() throws {
        let folder = try TemporaryFolder()
        let url = folder["token"]
        let store = FileTokenStore(url)
        #expect(try store.token() == nil)
        try store.store(token)
        #expect(try FileTokenStore(url).token() == token)
        let mode = try FileManager.default.attributesOfItem(atPath: url.path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        try store.store(RestBearerToken(value: "second", type: token.type))
        #expect(try store.token()?.value == "second")
        try store.store(nil)
        #expect(try store.token() == nil)
        #expect(try folder.names.isEmpty)
    }

    @Test func saysThatItCannotWrite() {
        #expect(throws: POSIXError.self) {
            try FileTokenStore(URL(fileURLWithPath: "/does/not/exist/token")).store(token)
        }
    }

    @Test func neverPrintsTheToken() {
        var dumped = ""
        dump(RestBearerToken(value: "s3cret", type: token.type), to: &dumped)
        #expect(!"\(RestBearerToken(value: "s3cret", type: token.type))\(dumped)".contains("s3cret"))
    }
}
