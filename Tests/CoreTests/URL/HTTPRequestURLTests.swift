// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import StrataCore
import Testing

struct HTTPRequestURLTests {
    @Test(arguments: [
        ("h", "/a?s3cret", "https://h/a"), ("h", "/a#s3cret", "https://h/a"), ("h", "/a?\u{301}s3cret", "https://h/a"),
        ("h:1", "/p@q/?s3cret", "https://h:1/p@q/"), ("me:s3cret@h", "/a", "https://h/a"),
        ("me:s3/cret@h", "/a", "https://h/a"), ("me:s3?cret@h", "/a", "https://h/a"),
        ("me:s3cret@s3cret@h", "/a", "https://h/a"), ("h?s3cret", "/", "https://h"),
        // Together they are user information and a host.
        ("me:s3cret", "@h/a", "https://h/a"),
    ])
    func aRecordShowsNeitherUserInformationNorQuery(authority: String, path: String, shown: String) {
        let request = HTTPRequest(method: .get, scheme: "https", authority: authority, path: path)
        #expect(request.urlWithoutQuery == shown)
    }
}
