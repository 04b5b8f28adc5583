// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataRequests
import Testing

struct BodyTests {
    private let hello = Data("Hello".utf8)
    private let bye = Data("Bye".utf8)

    private func text(_ body: Body) -> String? { body.value.map { String(decoding: $0, as: UTF8.self) } }

    @Test func dataIsKeptAndClaimsNoType() {
        #expect(Body(value: hello).value == hello)
        #expect(Body(value: hello).contentType == nil)
        #expect(Body(value: nil).value == nil)
    }

    @Test func aModelIsJSON() throws {
        let body = Body(User(name: "Ada"))
        #expect(try JSONDecoder().decode(User.self, from: #require(body.value)) == User(name: "Ada"))
        #expect(body.contentType == "application/json")
    }

    @Test func aModelIsEncodedAsTheEncoderIsTold() throws {
        let encoder = JSONEncoder()
        encoder.keyEncodingStrategy = .convertToSnakeCase
        struct Model: Encodable { var firstName = "Ada" }
        #expect(text(Body(Model(), encoder: encoder)) == #"{"first_name":"Ada"}"#)
    }

    @Test func aDictionaryIsWhatFoundationMakesOfIt() throws {
        let members: [String: Any] = ["a": [1, 2.5, true, "x"]]
        let expected = try JSONSerialization.data(withJSONObject: members)
        #expect(Body(members).value == expected)
        let pretty = try JSONSerialization.data(withJSONObject: members, options: .prettyPrinted)
        #expect(Body(members, options: .prettyPrinted).value == pretty)
    }

    @Test func bodiesAreJoinedByteByByte() {
        #expect(Body(value: hello) + Body(value: bye) == Body(value: hello + bye))
        #expect(Body(value: hello) + Body(value: nil) == Body(value: hello))
        #expect(Body(value: nil) + Body(value: bye) == Body(value: bye))
        #expect((Body(value: nil) + Body(value: nil)).value == nil)
        let nested = Body {
            Body { hello }
            Body { bye }
        }
        #expect(nested.value == hello + bye)
    }

    @Test func nothingListedIsNoBody() {
        #expect(Body {}.value == nil)
    }

    @Test func everythingThatIsListedIsTaken() {
        let maybe: Data? = hello
        let none: Data? = nil
        let body = Body {
            Body(value: hello)
            bye
            maybe
            none
            ["key": "value"]
            User(name: "Ada")
        }
        #expect(text(body) == #"HelloByeHello{"key":"value"}{"name":"Ada"}"#)
        #expect(body.contentType == nil)
    }

    @Test func mixedDictionariesAreJSON() throws {
        let body = Body { ["name": "Ada", "age": 36, "tags": ["a"], "boss": nil as String? as Any] }
        #expect(text(body) == #"{"age":36,"boss":null,"name":"Ada","tags":["a"]}"#)
        #expect(body.contentType == "application/json")
    }

    @Test func nothingInPlaceOfAModelIsNoBody() {
        let (model, form, parts): (User?, Form?, MultipartForm?) = (nil, nil, nil)
        let body = Body {
            model
            form
            parts
        }
        #expect(body == Body {})
        #expect(Body(model) == Body {})
        let users: [String: User?] = ["nobody": nil]
        #expect(Body(users["nobody"]) == Body {})
        #expect(Body { users["missing"] } == Body {})
        let there: Form? = Form { ("a", 1) }
        #expect(text(Body { there }) == "a=1")
        #expect(Body { there }.contentType == "application/x-www-form-urlencoded")
        #expect(text(Body(User?.some(User(name: "Ada")), encoder: FormEncoder())) == "name=Ada")
    }

    @Test(arguments: [true, false])
    func buildersBranch(_ flag: Bool) {
        let optional = Body { if flag { hello } }
        #expect(optional.value == (flag ? hello : nil))
        let either = Body { if flag { hello } else { User(name: "Ada") } }
        #expect(text(either) == (flag ? "Hello" : #"{"name":"Ada"}"#))
        let chosen = Body {
            switch flag {
            case true: hello
            case false: bye
            }
        }
        #expect(chosen.value == (flag ? hello : bye))
        let available = Body { if #available(macOS 15, iOS 18, *) { hello } }
        #expect(available.value == hello)
    }

    @Test func buildersLoop() {
        #expect(text(Body { for number in 0..<3 { Data("\(number)".utf8) } }) == "012")
    }

    @Test func textIsAModelUnlessItIsCalledText() {
        #expect(text(Body { "Hello" }) == #""Hello""#)
        #expect(text(Body { Body.text("Hello") }) == "Hello")
        #expect(Body.text("Hello").contentType == "text/plain; charset=utf-8")
    }

    @Test func formsAreForms() {
        let form = Form {
            ("name", "Ada Lovelace")
            ("sum", "1+1")
            ("none", nil)
            ("age", 36)
        }
        let body = Body { form }
        #expect(text(body) == "name=Ada+Lovelace&sum=1%2B1&age=36")
        #expect(body.contentType == "application/x-www-form-urlencoded")
        let model = Body(User(name: "Ada Lovelace"), encoder: FormEncoder())
        #expect(text(model) == "name=Ada+Lovelace")
        #expect(model.contentType?.hasPrefix("application/x-www-form-urlencoded") == true)
    }

    @Test func twoFormsAreOne() {
        let body = Body {
            Form { ("a", 1) }
            Form { ("b", 2) }
        }
        #expect(text(body) == "a=1&b=2")
        #expect(body.contentType == "application/x-www-form-urlencoded")
    }

    @Test func streamsAreBodies() throws {
        let body = Body { RequestBody.stream(length: 3, from: AsyncStream<Data> { $0.finish() }) }
        #expect(body.value == nil && body.error == nil)
        #expect(body == body)
        #expect(body != Body { RequestBody.stream(length: 3, from: AsyncStream<Data> { $0.finish() }) })
        #expect((body + Body(value: hello)).error != nil)
    }

    @Test func whatCannotBeEncodedIsRemembered() {
        #expect(Body(["infinite": Double.infinity]).error != nil)
        #expect(Body(["date": NSObject()] as [String: Any]).error != nil)
        #expect(Body(["date": NSObject()], options: .prettyPrinted).error != nil)
        let body = Body {
            User(name: "Ada")
            Double.nan
            User(name: "Bob")
        }
        #expect((body.error as? NetworkClientError)?.code == .encodingFailed)
        #expect(body.value == nil)
    }

    @Test func equalModelsMakeEqualBodies() {
        struct Model: Encodable {
            var name = "kiwi"
            var size = 3
            var color = "green"
        }
        let bodies = Set((0..<50).map { _ in Body(Model()) })
        #expect(bodies.compactMap(text) == [#"{"color":"green","name":"kiwi","size":3}"#])
        #expect(Body { Model() } == bodies.first)
    }

    @Test(arguments: [true, false]) func anOptionalIsWhatItHolds(_ isThere: Bool) {
        let body = isThere ? Body(value: hello) : nil
        let members: [String: Any]? = isThere ? ["a": 1] : nil
        #expect(Body { body }.value == (isThere ? hello : nil))
        #expect(text(Body { members }) == (isThere ? #"{"a":1}"# : nil))
    }
}
