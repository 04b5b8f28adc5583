// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import StrataCore
import Testing

struct HTTPSemanticsTests {
    @Test(arguments: [
        ("GET", true), ("HEAD", true), ("PUT", true), ("DELETE", true), ("OPTIONS", true), ("TRACE", true),
        ("PROPFIND", true), ("QUERY", true), ("POST", false), ("PATCH", false), ("CONNECT", false), ("get", false),
        ("PURGE", false),
    ])
    func methodsAreIdempotentByTheRegistry(name: String, isIdempotent: Bool) throws {
        #expect(try #require(HTTPRequest.Method(name)).isIdempotent == isIdempotent)
    }

    @Test func aMissingBodyIsWorthALengthForThreeMethods() {
        let methods: [HTTPRequest.Method] = [.get, .head, .post, .put, .patch, .delete, .options]
        #expect(methods.filter(\.expectsContent) == [.post, .put, .patch])
    }

    @Test func lengthAndTransferCodingAreFraming() {
        let names: [HTTPField.Name] = [.contentLength, .transferEncoding, .contentType, .te, .connection]
        #expect(names.filter(\.isFraming) == [.contentLength, .transferEncoding])
    }

    @Test func fiveStatusesAreRedirects() {
        let codes = (200...599).filter { HTTPResponse.Status(code: $0).isRedirect }
        #expect(codes == [301, 302, 303, 307, 308])
    }
}
