// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Testing

@testable import EchoServer

struct MethodRoutesTests {
    @Test func getTellsArgumentsHeadersOriginAndURL() async throws {
        let response = try await ask("/get?a=1&a=2&b=x+y", fields: [.accept: "x/y"])
        let answer = try response.json(HTTPBinAnswer.self)
        #expect(response.statusCode == 200)
        #expect(response.headers[.contentType] == "application/json")
        #expect(answer.args == ["a": ["1", "2"], "b": "x y"])
        #expect(answer.headers?["Accept"] == "x/y")
        #expect(answer.origin == "127.0.0.1")
        #expect(answer.url?.hasSuffix("/get?a=1&a=2&b=x+y") == true)
        #expect(answer.form == nil && answer.method == nil)
    }

    @Test func theSchemeIsThatOfTheServer() async throws {
        #expect(try await ask("/get", isSecure: true).json(HTTPBinAnswer.self).url?.hasPrefix("https://") == true)
        #expect(try await ask("/get").json(HTTPBinAnswer.self).url?.hasPrefix("http://") == true)
    }

    @Test(arguments: [("/post", HTTPRequest.Method.post), ("/put", .put), ("/patch", .patch), ("/delete", .delete)])
    func formsAreTakenApart(path: String, method: HTTPRequest.Method) async throws {
        let fields: HTTPFields = [.contentType: "application/x-www-form-urlencoded; charset=utf-8"]
        let answer = try await ask(path, method, fields: fields, body: "a=1&a=2&b=%C3%A9").json(HTTPBinAnswer.self)
        #expect(answer.form == ["a": ["1", "2"], "b": "é"])
        #expect(answer.data == "")
        #expect(answer.files == [:])
    }

    @Test func multipartFieldsAndFilesAreTakenApart() async throws {
        let body = """
            --x\r
            Content-Disposition: form-data; name="a"\r
            \r
            1\r
            --x\r
            Content-Disposition: form-data; name="a"\r
            \r
            2\r
            --x\r
            Content-Disposition: form-data; name="f"; filename="f.txt"\r
            Content-Type: text/plain\r
            \r
            text\r
            --x--\r

            """
        let answer = try await ask(
            "/post", .post, fields: [.contentType: "multipart/form-data; boundary=x"], body: body
        )
        .json(HTTPBinAnswer.self)
        #expect(answer.form == ["a": ["1", "2"]])
        #expect(answer.files == ["f": "text"])
        #expect(answer.data == "")
    }

    @Test func filesThatAreNoTextBecomeDataURLs() async throws {
        let head = "--x\r\nContent-Disposition: form-data; name=f; filename=b\r\nContent-Type: image/png\r\n\r\n"
        let body = Array(head.utf8) + [0xFF, 0xFE] + Array("\r\n--x--\r\n".utf8)
        let answer = try await ask(
            "/post", .post, fields: [.contentType: "multipart/form-data; boundary=\"x\""], bytes: body
        ).json(HTTPBinAnswer.self)
        #expect(answer.files == ["f": "data:image/png;base64,//4="])
    }

    @Test func jsonIsGivenBackWithoutLossOfDigits() async throws {
        let response = try await ask(
            "/post", .post, fields: [.contentType: "application/json"], body: #"{"n": 12345678901234567890.25}"#)
        #expect(response.text.contains(#""json": {"n": 12345678901234567890.25}"#))
        #expect(try response.json(HTTPBinAnswer.self).data == #"{"n": 12345678901234567890.25}"#)
    }

    @Test func textThatIsNotJSONIsData() async throws {
        let response = try await ask("/put", .put, fields: [.contentType: "application/json"], body: "{broken")
        #expect(response.text.contains("\"json\": null"))
        #expect(try response.json(HTTPBinAnswer.self).data == "{broken")
    }

    @Test(arguments: ["GET", "DELETE", "PROPFIND", "BREW"])
    func anythingTakesEveryMethodAndPath(name: String) async throws {
        let method = try #require(HTTPRequest.Method(name))
        let answer = try await ask("/anything/a%2Fb//c?x", method).json(HTTPBinAnswer.self)
        #expect(answer.method == name)
        #expect(answer.url?.hasSuffix("/anything/a%2Fb//c?x") == true)
    }

    @Test func headersAreMergedAndSpelledAsInWSGI() async throws {
        let name = try #require(HTTPField.Name("x-fOO-2bar"))
        let fields = HTTPFields([.init(name: name, value: "1"), .init(name: name, value: "2")])
        let answer = try await ask("/headers", fields: fields).json(HTTPBinAnswer.self)
        #expect(answer.headers?["X-Foo-2Bar"] == "1,2")
    }

    @Test func fieldsOfProxiesAreHiddenUnlessAskedFor() async throws {
        let id = try #require(HTTPField.Name("X-Request-Id"))
        let hidden = try await ask("/headers", fields: [id: "1"]).json(HTTPBinAnswer.self)
        let shown = try await ask("/headers?show_env=1", fields: [id: "1"]).json(HTTPBinAnswer.self)
        #expect(hidden.headers?["X-Request-Id"] == nil)
        #expect(shown.headers?["X-Request-Id"] == "1")
    }
}
