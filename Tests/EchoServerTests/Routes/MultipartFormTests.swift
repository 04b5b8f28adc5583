// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import EchoServer

struct MultipartFormTests {
    private func parts(_ text: String, boundary: String = "B") -> [MultipartForm.Part] {
        MultipartForm.parts(of: Array(text.utf8), boundary: boundary)
    }

    @Test func fieldsAndFilesAreToldApartByTheFileName() {
        let parts = parts(
            """
            preamble\r
            --B\r
            Content-Disposition: form-data; name="a"\r
            \r
            1\r
            --B  \r
            content-disposition: form-data; name=f; filename="x.txt"\r
            Content-Type: text/plain; charset=utf-8\r
            \r
            two\r
            lines\r
            --B\r
            Content-Disposition: form-data; name="e"; filename=""\r
            \r
            \r
            --B--\r
            epilogue
            """)
        #expect(
            parts == [
                .init(name: "a", isFile: false, fileName: nil, contentType: nil, body: Array("1".utf8)),
                .init(
                    name: "f", isFile: true, fileName: "x.txt", contentType: "text/plain; charset=utf-8",
                    body: Array("two\r\nlines".utf8)),
                .init(name: "e", isFile: true, fileName: "", contentType: nil, body: []),
            ])
    }

    @Test func bytesThatResembleTheBoundaryAreContent() {
        let body = "--B\r\nContent-Disposition: form-data; name=a\r\n\r\n--\r\n-B\r\n\r--B\n--B\r\n--B--\r\n"
        #expect(parts(body).map(\.body) == [Array("--\r\n-B\r\n\r--B\n--B".utf8)])
    }

    @Test func binaryContentIsKept() {
        let content = (0...255).map { UInt8($0) }
        let bytes =
            Array("--B\r\nContent-Disposition: form-data; name=a\r\n\r\n".utf8) + content + Array("\r\n--B--".utf8)
        #expect(MultipartForm.parts(of: bytes, boundary: "B").map(\.body) == [content])
    }

    @Test func aBodyThatBreaksOffGivesTheCompleteParts() {
        let body =
            "--B\r\nContent-Disposition: form-data; name=a\r\n\r\n1\r\n--B\r\nContent-Disposition: form-data; name=b\r\n\r\n2"
        #expect(parts(body).map(\.name) == ["a"])
        for length in 0...body.utf8.count {
            let cut = MultipartForm.parts(of: Array(body.utf8.prefix(length)), boundary: "B")
            #expect(cut.count <= 1)
        }
    }

    @Test func partsWithoutANameAreSkipped() {
        #expect(parts("--B\r\nContent-Type: text/plain\r\n\r\nx\r\n--B--") == [])
        #expect(parts("--B\r\n\r\nx\r\n--B--") == [])
        #expect(parts("--B\r\nx\r\n--B--") == [])
        #expect(parts("anything", boundary: "") == [])
    }
}
