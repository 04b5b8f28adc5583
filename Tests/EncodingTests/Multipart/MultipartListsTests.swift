// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataCore
import StrataEncoding
import Testing

/// Lists and dictionaries in the parts of a form.
struct MultipartListsTests {
    private func texts(_ parts: [MultipartPart]) -> [String] {
        parts.map { "\($0.name ?? "-")=\(String(decoding: $0.body.data ?? Data(), as: UTF8.self))" }
    }

    private func written(_ model: some Encodable, _ options: FormOptions = FormOptions()) throws -> [String] {
        try texts(MultipartEncoder(options: options).form(from: model).parts)
    }

    private func read<Model: Decodable>(
        _ type: Model.Type, _ parts: [String], _ options: FormOptions = FormOptions()
    ) throws -> Model {
        let response = HTTPResponse(status: .ok, headerFields: [.contentType: "multipart/form-data; boundary=B"])
        let texts = parts.map { part in
            let name = part.prefix { $0 != "=" }
            let text = part.dropFirst(name.count + 1)
            return "--B\r\nContent-Disposition: form-data; name=\"\(name)\"\r\n\r\n\(text)\r\n"
        }
        let data = Data((texts.joined() + "--B--").utf8)
        return try MultipartDecoder(options: options).decode(type, from: data, response: response)
    }

    private struct Post: Codable, Equatable { var tags = ["a", "b", "c"] }

    @Test(
        arguments: [
            (.repeated, ["tags=a", "tags=b", "tags=c"]), (.brackets, ["tags[]=a", "tags[]=b", "tags[]=c"]),
            (.indices, ["tags[0]=a", "tags[1]=b", "tags[2]=c"]), (.commas, ["tags=a,b,c"]), (.spaces, ["tags=a b c"]),
            (.pipes, ["tags=a|b|c"]),
        ] as [(FormOptions.Arrays, [String])])
    func aListIsWrittenInItsStyleAndReadBack(_ arrays: FormOptions.Arrays, _ parts: [String]) throws {
        let options = FormOptions(arrays: arrays)
        #expect(try written(Post(), options) == parts)
        #expect(try read(Post.self, parts, options) == Post())
    }

    @Test(
        arguments: [(.commas, "x,y", ","), (.spaces, "x y", " "), (.pipes, "x|y", "|")]
            as [(FormOptions.Arrays, String, String)])
    func anElementHasNoSeparatorInIt(_ arrays: FormOptions.Arrays, _ element: String, _ separator: String) throws {
        let options = FormOptions(arrays: arrays)
        let error = #expect(throws: EncodingError.self) { try written(Post(tags: ["a", element]), options) }
        guard case .invalidValue(_, let context) = error else { return }
        #expect(context.codingPath.map(\.stringValue) == ["tags"])
        #expect(
            context.debugDescription == "an element of a list that is separated by \"\(separator)\" has one in it")
        for other in [",", " ", "|"] where other != separator {
            #expect(try written(Post(tags: ["x\(other)y"]), options) == ["tags=x\(other)y"])
        }
    }

    /// In whichever notation they came, whatever the options say.
    @Test(arguments: [
        ["tags=a", "x=1", "tags=b", "tags=c"], ["tags[]=a", "tags[]=b", "tags[]=c"],
        ["tags[0]=a", "tags[1]=b", "tags[2]=c"], ["tags[10]=c", "tags[9]=b", "tags[1]=a"],
        ["tags[2]=c", "tags[]=a", "tags[1]=b"], ["tags[1]=a", "tags[1]=b", "tags[2]=c"],
    ])
    func everyNotationOfAListIsRead(_ parts: [String]) throws {
        for options in [FormOptions(), FormOptions(arrays: .indices)] {
            #expect(try read(Post.self, parts, options) == Post(), "\(parts)")
        }
    }

    @Test(arguments: ["tags[k]=a", "tags[-1]=a", "tags[1x]=a", "tags]=a", "[0]=a", "tags[0]x=a", "tags[0=a"])
    func otherBracketsAreNoList(_ part: String) throws {
        #expect(try read(Post.self, [part]).tags == [])
        let name = String(part.dropLast(2))
        #expect(try read([String: String].self, [part]) == [name: "a"])
        #expect(try read([String: [String]].self, [part], FormOptions(arrays: .brackets)) == [name: ["a"]])
    }

    /// The names of a dictionary of lists are those of the lists; of scalars, those of the parts.
    @Test func aDictionaryOfListsIsReadByTheStyleOfItsOptions() throws {
        let lists = ["b": ["1"], "a": ["2", "3"]]
        for arrays in [FormOptions.Arrays.brackets, .indices] {
            let options = FormOptions(arrays: arrays)
            let parts = try written(lists, options)
            #expect(parts.map { $0.prefix { $0 != "=" } }.allSatisfy { $0.hasSuffix("]") })
            #expect(try read([String: [String]].self, parts, options) == lists)
        }
        let parts = ["a[]=1", "b=2", "a[]=3"]
        let options = FormOptions(arrays: .brackets)
        #expect(try read([String: [Int]].self, parts, options) == ["a": [1, 3], "b": [2]])
        #expect(try read([String: [Int]].self, parts) == ["a[]": [1, 3], "b": [2]])
        #expect(try read([String: Int].self, ["a[]=1", "b[0]=2"], options) == ["a[]": 1, "b[0]": 2])
    }

    private enum Level: String, Codable { case low, high = "h i" }

    /// `Codable` would ask for a list of keys and values in turn.
    @Test func aDictionaryOfKeysThatAreNoNamesIsReadAndWritten() throws {
        #expect(try written([-3 as Int8: 4, 1: 2]) == ["-3=4", "1=2"])
        #expect(try read([Int8: Int].self, ["1=2", "-3=4"]) == [1: 2, -3: 4])
        #expect(try written([Level.high: [1, 2], .low: []]) == ["h i=1", "h i=2", "low=[]"])
        #expect(try read([Level: [Int]].self, ["h i=1", "low=3", "h i=2"]) == [.high: [1, 2], .low: [3]])
        #expect(throws: DecodingError.self) { try read([Int8: Int].self, ["200=1"]) }
        #expect(throws: DecodingError.self) { try read([Bool: Int].self, ["true=1", "1=2"]) }
    }

    /// A key is there although its value is empty.
    @Test func aDictionaryKeepsTheKeysOfEmptyValues() throws {
        #expect(try written(["a": [Int](), "b": [1]]) == ["a=[]", "b=1"])
        #expect(try written(["a": [String: Int]()]) == ["a={}"])
        #expect(try written(["a": Int?.none, "b": 1]) == ["b=1"])
        #expect(try written(["a": JSONValue.null, "b": [], "c": 1] as [String: JSONValue]) == ["b=[]", "c=1"])
        #expect(try written(["a": nil, "b": [], "c": 1] as JSONValue) == ["b=[]", "c=1"])
        #expect(try written(["a": Int?.none], FormOptions(nils: .text("-"))) == ["a=-"])
    }

    @Test func aListWithGapsIsWrittenByOption() throws {
        struct Gaps: Encodable { var list = [1, nil, 3] }
        #expect(try written(Gaps()) == ["list=[1,null,3]"])
        #expect(try written(Gaps(), FormOptions(nils: .text("null"))) == ["list=1", "list=null", "list=3"])
        #expect(try written(Gaps(), FormOptions(arrays: .commas, nils: .empty)) == ["list=1,,3"])
    }

    @Test func namesOfAnEnvelopeAreDataOrKeys() throws {
        let values = [
            NamedValue("firstName", "Ada", isExplicit: false), NamedValue("someTags", ["a", "b"], isExplicit: true),
            NamedValue(
                "thePhoto", Data([0x31]), isExplicit: false, filename: "p.png", contentType: "image/x-own"),
            NamedValue("none", Int?.none, isExplicit: false),
        ]
        let parts = try MultipartEncoder(options: FormOptions(keys: .snakeCase)).parts(of: values)
        #expect(texts(parts) == ["first_name=Ada", "someTags=a", "someTags=b", "the_photo=1"])
        #expect(parts.map(\.filename) == [nil, nil, nil, "p.png"])
        #expect(parts.map(\.contentType) == [nil, nil, nil, "image/x-own"])
    }

    @Test func whatAPartHasItselfStays() throws {
        let encoder = MultipartEncoder()
        let part = MultipartPart(name: "own", body: .empty, filename: "f", contentType: "t/s")
        let kept = try encoder.parts(for: part, name: "n")
        #expect(kept.map { [$0.name, $0.filename, $0.contentType] } == [["own", "f", "t/s"]])
        let changed = try encoder.parts(for: part, name: "n", filename: "g", contentType: "u/v")
        #expect(changed.map { [$0.name, $0.filename, $0.contentType] } == [["own", "g", "u/v"]])
        let list = try encoder.parts(
            for: [MultipartPart(name: nil, body: .empty), part], name: "n", filename: nil, contentType: nil)
        #expect(list.map(\.name) == ["n", "own"])
        #expect(try encoder.parts(for: RequestBody.data(Data([1])), name: "n").map(\.name) == ["n"])
    }

    @Test func aModelIsAPartOfItsEncodersType() throws {
        let json = try MultipartPart.model(["a": 1], name: "m", filename: "m.json")
        #expect(json.name == "m" && json.filename == "m.json" && json.contentType == "application/json")
        #expect(json.body.data == Data(#"{"a":1}"#.utf8))
        let form = try MultipartPart.model(["a": 1], name: "m", encoder: FormEncoder())
        #expect(form.contentType == "application/x-www-form-urlencoded" && form.filename == nil)
        #expect(form.body.data == Data("a=1".utf8))
        let body = EncodedBody(.data(Data("a,b".utf8)), contentType: "text/csv")
        let whole = try MultipartPart.model(body, name: "m")
        #expect(whole.contentType == "text/csv" && whole.body.data == Data("a,b".utf8))
        #expect(throws: EncodingError.self) { try MultipartPart.model([1], name: "m", encoder: FormEncoder()) }
    }

    @Test func eachDecoderSaysWhatItTakes() {
        #expect(MultipartDecoder().acceptedContentTypes == ["multipart/form-data"])
        #expect(FormDecoder().acceptedContentTypes == ["application/x-www-form-urlencoded"])
        #expect(PlainTextDecoder().acceptedContentTypes == ["text/plain"])
    }
}
