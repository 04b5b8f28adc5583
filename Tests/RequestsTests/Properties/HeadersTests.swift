// SPDX-License-Identifier: Apache-2.0

import StrataRequests
import Testing

struct HeadersTests {
    @Test func oneOfAName() {
        #expect(Headers(value: ["name": "value"]).value == ["name": "value"])
        #expect(Headers(headers: [Header("a", "1"), Header("b", "2")]).value == ["a": "1", "b": "2"])
    }

    @Test func listsAreJoined() {
        let first = Headers { ("name", "value1") }
        let second = Headers { ("name", "value2") }
        #expect((first + second).value == ["name": "value1,value2"])
        #expect((second + first).value == ["name": "value2,value1"])
        let accept = Headers {
            Header.accept(.applicationJSON)
            Header.accept(.textPlain)
        }
        #expect(accept.value == ["Accept": "application/json,text/plain"])
    }

    @Test func listsGetNoEmptyElements() {
        let headers = Headers {
            ("Accept", "")
            ("Accept", "a/b")
            ("Accept", "")
            ("Accept", "c/d")
        }
        #expect(headers["Accept"] == "a/b,c/d")
    }

    @Test(arguments: [
        "Authorization", "content-type", "User-Agent", "Host", "X-API-Key", "Depth", "If", "Accept-Datetime",
        "Content-MD5", "Early-Data", "Sec-Fetch-User", "Sec-GPC", "DNT", "SOAPAction", "PRIVATE-TOKEN",
        "X-Amz-Security-Token", "X-GitHub-Api-Version",
    ])
    func fieldsWithOneValueAreReplaced(_ name: String) {
        let headers = Headers {
            (name, "parent")
            (name.uppercased(), "child")
        }
        #expect(headers.value == [name.uppercased(): "child"])
    }

    @Test(arguments: [
        "Timeout", "If-None-Match", "Accept-Signature", "Signature-Input", "Signature-Agent", "X-Conversion",
        "Sec-CH-UA-Full-Version-List", "X-Max-Tokens", "anthropic-beta", "Access-Control-Request-Headers",
    ])
    func listsOfSpecificationsAreJoined(_ name: String) {
        let headers = Headers {
            (name, "parent")
            (name, "child")
        }
        #expect(headers[name] == "parent,child")
    }

    @Test func namesCompareWithoutCase() {
        let headers = Headers {
            ("x-list", "1")
            ("X-List", "2")
        }
        #expect(headers.fields == [Header("X-LIST", "1,2")])
        #expect(headers["X-LIST"] == "1,2")
        #expect(Headers { ("A", "1") } == Headers { ("a", "1") })
    }

    @Test func cookiesAreJoinedAsCookiesAre() {
        let headers = Headers {
            ("Cookie", "a=1")
            ("Cookie", "b=2")
        }
        #expect(headers["cookie"] == "a=1; b=2")
    }

    @Test func orderIsThatOfFirstMentionAndDoesNotMatterForEquality() {
        let headers = Headers {
            ("b", "1")
            ("a", "2")
            ("b", "3")
        }
        #expect(headers.fields.map(\.name) == ["b", "a"])
        #expect(headers == Headers(value: ["a": "2", "b": "1,3"]))
        #expect(headers.hashValue == Headers(value: ["a": "2", "b": "1,3"]).hashValue)
    }

    @Test func nothingListedIsEmpty() {
        #expect(Headers {}.value.isEmpty)
    }

    @Test func everythingThatIsListedIsTaken() {
        let none: Header? = nil
        let headers = Headers {
            Header("first", "value1")
            Headers { Header("second", "value2") }
            ("second", "value3")
            ["third": "value4", "fourth": "value5"]
            none
            [Header("fifth", "value6")]
        }
        #expect(
            headers.value == [
                "first": "value1", "second": "value2,value3", "third": "value4", "fourth": "value5", "fifth": "value6",
            ])
    }

    @Test(arguments: [true, false])
    func buildersBranch(_ flag: Bool) {
        #expect(Headers { if flag { ("a", "1") } }.value == (flag ? ["a": "1"] : [:]))
        let either = Headers { if flag { ("a", "1") } else { Header("b", "2") } }
        #expect(either.value == (flag ? ["a": "1"] : ["b": "2"]))
        #expect(Headers { if #available(macOS 15, iOS 18, *) { ("a", "1") } }.value == ["a": "1"])
    }

    @Test func buildersLoop() {
        #expect(Headers { for number in 0..<3 { ("n", "\(number)") } }.value == ["n": "0,1,2"])
    }

    @Test func aSubscriptSetsAndRemoves() {
        var headers = Headers { ("A", "1") }
        headers["a"] = "2"
        headers["b"] = "3"
        #expect(headers.value == ["a": "2", "b": "3"])
        headers["A"] = nil
        headers["none"] = nil
        #expect(headers.value == ["b": "3"])
    }

    @Test(arguments: [true, false]) func anOptionalIsWhatItHolds(_ isThere: Bool) {
        let headers: Headers? = isThere ? Headers { ("A", "1") } : nil
        let dictionary: [String: String]? = isThere ? ["B": "2"] : nil
        let both = Headers {
            headers
            dictionary
        }
        #expect(both.value == (isThere ? ["A": "1", "B": "2"] : [:]))
    }
}
