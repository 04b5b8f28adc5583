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

    @Test(
        arguments: [
            ("attachment", "attachment", [:]), (" \tInline ; FileName=a", "inline", ["filename": "a"]),
            ("form-data;name = \"a b\" ; x=y", "form-data", ["name": "a b", "x": "y"]),
            ("a;;=x;b;c=1;d", "a", ["c": "1"]), ("a;b c=1;d=2", "a", ["d": "2"]),
            (#"a; filename="x;y"; name=n"#, "a", ["filename": "x;y", "name": "n"]),
            (#"a; filename="x\\y\"z"; name=n"#, "a", ["filename": #"x\y"z"#, "name": "n"]),
            (#"a; filename="x"y; name=n"#, "a", ["filename": "x", "name": "n"]),
            ("a; filename=;name=n", "a", ["filename": "", "name": "n"]),
            ("a; filename= x y \t;name=n", "a", ["filename": "x y", "name": "n"]),
            ("a;Name=1;name=2;NAME=3", "a", ["name": "1"]),
            ("a; filename*=iso-8859-1'en'%A3%20rates", "a", ["filename": "£ rates"]),
            ("a; filename*=UTF-8''x'y%2A", "a", ["filename": "x'y*"]), ("a; filename*=UTF-8'x", "a", [:]),
            ("a; filename*=x", "a", [:]), ("a; filename*=UTF-8''", "a", ["filename": ""]),
            ("a; filename*=UTF-8''x; filename*=UTF-8''y", "a", ["filename": "x"]),
            ("a; filename*=UTF-8''%zz; filename*=UTF-8''y", "a", ["filename": "y"]),
            ("a; filename*=UTF-8''x%4; filename=z", "a", ["filename": "z"]),
            ("a; b*=UTF-8''x; c*=UTF-8''y; c=z", "a", ["b": "x", "c": "y"]),
        ] as [(String, String, [String: String])])
    func readsTypesAndParameters(_ text: String, _ type: String, _ parameters: [String: String]) throws {
        let disposition = try #require(ContentDisposition(text))
        #expect(disposition.type == type && disposition.parameters == parameters)
        #expect(disposition.name == parameters["name"] && disposition.filename == parameters["filename"])
    }

    @Test(arguments: ["", " ", ";", "; a=b", "=", "a b", "attachment filename=x", "a/b", "a=b"])
    func whatDoesNotBeginWithATypeIsNone(_ text: String) { #expect(ContentDisposition(text) == nil) }

    /// The marks that embed, override and isolate a direction, and their neighbours.
    @Test func marksOfDirectionAreLeftOut() {
        for value in [0x202A, 0x202B, 0x202D, 0x202E, 0x2066, 0x2067, 0x2069, 0x01, 0x1F, 0x7F] as [UInt32] {
            let scalar = String(Unicode.Scalar(value).map(Character.init) ?? "?")
            #expect(ContentDisposition("a; filename=x\(scalar)y")?.safeFilename == "xy", "\(value)")
        }
        for value in [0x200B, 0x202F, 0x2065, 0x206A, 0x21, 0xA1] as [UInt32] {
            let scalar = String(Unicode.Scalar(value).map(Character.init) ?? "?")
            #expect(ContentDisposition("a; filename=x\(scalar)y")?.safeFilename == "x\(scalar)y", "\(value)")
        }
    }

    @Test func aNameIsCutBeforeAnExtensionOfUpTo32Bytes() {
        for (stem, suffix, kept) in [
            (206, 31, 206), (207, 31, 206), (205, 32, 205), (208, 31, 206), (300, 1, 236), (300, 0, 237),
        ] {
            let end = "." + String(repeating: "e", count: suffix)
            let name = String(repeating: "a", count: stem) + end
            let expected = String(repeating: "a", count: kept) + end
            #expect(ContentDisposition("a; filename=\(name)")?.safeFilename == expected, "\(stem) \(suffix)")
        }
        let tooLong = String(repeating: "a", count: 207) + "." + String(repeating: "e", count: 32)
        #expect(ContentDisposition("a; filename=\(tooLong)")?.safeFilename == String(tooLong.prefix(238)))
        // A character is kept whole, or left out.
        for (count, kept) in [(236, 236), (237, 237), (238, 238)] {
            let stem = String(repeating: "a", count: count)
            let expected = kept == 236 ? stem + "é" : stem
            #expect(ContentDisposition("a; filename=\(stem)ébc")?.safeFilename == expected)
        }
    }
}
