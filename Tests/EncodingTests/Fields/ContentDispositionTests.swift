// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import StrataEncoding
import TestSupport
import Testing

struct ContentDispositionTests {
    @Test(.vectors("headers/misc-headers.json")) func readsNamesAsBrowsersDo() throws {
        for vector in try Vectors.cases("headers/misc-headers.json", "content_disposition") {
            let id = vector["id"]?.string ?? ""
            let disposition = ContentDisposition(try #require(vector["value"]?.string))
            // Where the vector has no type, any answer will do that is none or a name: not crashing is the point.
            guard let type = vector["type"]?.string else { continue }
            #expect(disposition?.type == type, "\(id)")
            guard vector["rule"] == nil else {
                if let name = disposition?.safeFilename {
                    #expect(!name.contains { "/\\\0".contains($0) } && name != "." && name != "..", "\(id)")
                }
                continue
            }
            let name = disposition?.filename
            #expect(name.isIdentical(to: vector["filename"]?.string), "\(id)")
        }
    }

    @Test(arguments: [
        (#"attachment; filename="bar"#, "bar"), ("attachment; filename=foo bar.html", "foo bar.html"),
        ("attachment; filename*=UTF-8''foo%", nil), ("attachment; filename*=UTF-8''f%oo.html", nil),
        ("attachment; filename*=X-UNKNOWN''x", nil), ("attachment; filename=foo; filename=bar", "foo"),
    ]) func ofAMalformedValueWhatCanBeReadCounts(_ value: String, _ filename: String?) throws {
        let disposition = try #require(ContentDisposition(value))
        #expect(disposition.type == "attachment")
        #expect(disposition.filename == filename)
    }

    @Test func aValueWithoutATypeIsNone() {
        #expect(ContentDisposition(#""foo; filename=bar;baz"; filename=qux"#) == nil)
    }

    @Test(arguments: [
        ("/foo.html", "foo.html"), (#"..\..\etc.html"#, "etc.html"), ("a\u{0}b", "ab"), ("../..", nil), ("", nil),
        ("/", nil),
        (".", nil), ("~", nil), ("|", nil), ("~a", "~a"), ("a/", "a"),
        (" a .txt ", "a .txt"), ("x\u{202E}txt.exe", "xtxt.exe"), ("über.txt", "über.txt"),
    ]) func savesUnderTheLastSegmentOnly(_ name: String, _ expected: String?) {
        let quoted = name.replacing("\\", with: "\\\\")
        #expect(ContentDisposition("attachment; filename=\"\(quoted)\"")?.safeFilename == expected)
    }

    @Test(arguments: [
        ("a", 238, "", 238), ("a", 5000, ".txt", 234), ("€", 200, "", 79), ("€", 200, ".txt", 78), ("a", 300, ".", 237),
    ]) func isNoLongerThanFileSystemsTake(_ character: String, _ count: Int, _ end: String, _ kept: Int) {
        let name = String(repeating: character, count: count) + end
        let expected = String(repeating: character, count: kept) + end
        #expect(ContentDisposition("attachment; filename=\"\(name)\"")?.safeFilename == expected)
    }

    @Test func whatIsTooLongForAnExtensionIsCut() {
        let name = "a." + String(repeating: "b", count: 300)
        #expect(ContentDisposition("attachment; filename=\(name)")?.safeFilename == String(name.prefix(238)))
    }

    @Test func anExtendedNameWinsAndABrokenOneDoesNotCount() {
        #expect(ContentDisposition("attachment; filename=a; filename*=UTF-8''%C3%A4")?.filename == "ä")
        #expect(ContentDisposition("attachment; filename*=UTF-8''%C3; filename=a")?.filename == "a")
        #expect(ContentDisposition("attachment; filename*=UTF-8''%zz; filename=a")?.filename == "a")
        #expect(ContentDisposition("attachment; filename*=x-none''b; filename=a")?.filename == "a")
    }

    @Test func aNameThatIsNotUTF8IsReadAsBrowsersDo() {
        let value = Array(#"attachment; filename="foo-"#.utf8) + [0xe4, 0x80] + Array(#".html""#.utf8)
        var response = HTTPResponse(status: .ok)
        response.headerFields.append(HTTPField(name: .contentDisposition, value: value))
        #expect(ContentDisposition(of: response)?.filename == "foo-ä€.html")
    }

    @Test func comesFromTheResponse() {
        let response = HTTPResponse(status: .ok, headerFields: [.contentDisposition: "attachment; filename=\"r.csv\""])
        #expect(ContentDisposition(of: response)?.safeFilename == "r.csv")
        #expect(ContentDisposition(of: HTTPResponse(status: .ok)) == nil)
        let twice: HTTPFields = [.contentDisposition: "inline; filename=a", .contentDisposition: "inline; filename=b"]
        #expect(ContentDisposition(of: HTTPResponse(status: .ok, headerFields: twice))?.filename == "a")
    }
}
