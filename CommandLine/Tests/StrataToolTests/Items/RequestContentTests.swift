// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataCore
import StrataTool
import Testing

struct RequestContentTests {
    private func content(
        _ items: [String], as format: RequestContent.Format = .json, files: [String: String] = [:]
    ) throws -> RequestContent {
        try RequestContent(items.map { try RequestItem($0) }, as: format) { path in
            guard let text = files[path] else { throw UsageError("cannot read \(path)") }
            return Data(text.utf8)
        }
    }

    @Test(arguments: [
        (["b=1", "a:=2", "c:=null"], #"{"b": "1", "a": 2, "c": null}"#),
        (["a=1", "a=2"], #"{"a": "2"}"#),
        (["user[name]=Ada", "user[age]:=36"], #"{"user": {"name": "Ada", "age": 36}}"#),
        (["tags[]=a", "tags[]=b"], #"{"tags": ["a", "b"]}"#),
        (["a[2]=x"], #"{"a": [null, null, "x"]}"#),
        (["[]:=1", "[]=b"], #"[1, "b"]"#),
        (["[0][x]=a", "[1][x]=b"], #"[{"x": "a"}, {"x": "b"}]"#),
        (["a[][x]:=1", "a[][x]:=2"], #"{"a": [{"x": 1}, {"x": 2}]}"#),
        (["n:=1e400", "n2:=0.10"], #"{"n": 1e400, "n2": 0.10}"#),
        (["q=\"\\\n"], #"{"q": "\"\\\n"}"#),
        (["a:={\"b\": [1]}"], #"{"a": {"b": [1]}}"#),
    ])
    func dataItemsAreOneJSONBodyInTheirOrder(items: [String], json: String) throws {
        #expect(try content(items).body == .json(json))
    }

    @Test(arguments: [
        ["a=1", "a[b]=2"], ["a[b]=1", "a[]=2"], ["a[]=1", "a[b]=2"], ["a:={}", "a[b]=1"], ["a[10000]=x"], ["x:=nope"],
    ])
    func whatDoesNotFitIsAnError(items: [String]) {
        #expect(throws: UsageError.self) { try content(items) }
    }

    @Test func queryAndFieldsStandApart() throws {
        let content = try content(["q==a b", "X-A:1", "User-Agent:", "X-B;"])
        #expect(content.query == [URLQueryItem(name: "q", value: "a b")])
        #expect(content.fields == [CallField("X-A", "1"), CallField("User-Agent", nil), CallField("X-B", "")])
        #expect(content.body == .none)
    }

    @Test func valuesComeFromFiles() throws {
        let content = try content(
            ["a=@t", "b:=@j", "q==@t", "Authorization:@s"], files: ["t": "x\n", "j": "[1]", "s": "Bearer abc\n"])
        #expect(content.body == .json(#"{"a": "x\n", "b": [1]}"#))
        #expect(content.query == [URLQueryItem(name: "q", value: "x\n")])
        #expect(content.fields == [CallField("Authorization", "Bearer abc")])
        #expect(throws: UsageError.self) { try self.content(["a=@missing"]) }
    }

    @Test func aFormWithFilesIsMultipart() throws {
        #expect(
            try content(["a=1", "b:=2"], as: .form).body
                == .form([URLFormItem(name: "a", value: "1"), URLFormItem(name: "b", value: "2")]))
        #expect(
            try content(["a=1", "f@x.png;type=image/png"], as: .form).body
                == .multipart([
                    FormPart(name: "a", content: .text("1")),
                    FormPart(name: "f", content: .file("x.png"), contentType: "image/png"),
                ]))
        #expect(try content(["a=1"], as: .multipart).body == .multipart([FormPart(name: "a", content: .text("1"))]))
        #expect(throws: UsageError.self) { try content(["f@x.png"]) }
    }

    @Test func aFileAloneIsTheBody() throws {
        #expect(try content(["@x.json"]).body == .file(path: "x.json"))
        #expect(try content(["@-"]).body == .standardInput)
        #expect(throws: UsageError.self) { try content(["@x", "a=1"]) }
    }
}
