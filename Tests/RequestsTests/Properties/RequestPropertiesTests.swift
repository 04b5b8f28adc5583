// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataRequests
import Testing

struct RequestPropertiesTests {
    private let full = Request.Properties {
        Body { User(name: "Ada") }
        PathComponents { "a" }
        Headers { ("h", "1") }
        QueryItems { ("q", 1) }
    }

    @Test func allKindsInAnyOrder() {
        #expect(full.headers.value == ["h": "1"])
        #expect(full.queryItems.value == [URLQueryItem(name: "q", value: "1")])
        #expect(full.pathComponents.value == ["a"])
        #expect(full.body == Body(User(name: "Ada")))
        #expect(Request.Properties {} == .empty)
    }

    @Test func plusAddsPartByPart() {
        var properties = Request.Properties { Headers { ("h", "1") } }
        properties += Request.Properties { PathComponents { "a" } }
        #expect(
            properties == Request.Properties(headers: Headers { ("h", "1") }, pathComponents: PathComponents { "a" }))
        let doubled = full + full
        #expect(doubled.pathComponents.value == ["a", "a"])
        #expect(doubled.headers.value == ["h": "1,1"])
        #expect(doubled.queryItems.value.count == 2)
    }

    @Test func twoPropertiesOfAKindAddUp() {
        let properties = Request.Properties {
            PathComponents { "a" }
            PathComponents { "b" }
        }
        #expect(properties.pathComponents.value == ["a", "b"])
    }

    @Test func inheritedBodiesAreReplacedAndTheRestAddsUp() {
        let child = Request.Properties {
            Body { Data("child".utf8) }
            PathComponents { "b" }
            QueryItems { ("q", 2) }
        }
        let result = child.inheriting(from: full)
        #expect(result.body.value == Data("child".utf8))
        #expect(result.pathComponents.value == ["a", "b"])
        #expect(result.queryItems.value.map(\.value) == ["1", "2"])
        #expect(Request.Properties.empty.inheriting(from: full) == full)
    }

    @Test(arguments: [true, false])
    func buildersBranch(_ flag: Bool) {
        let optional = Request.Properties { if flag { PathComponents { "a" } } }
        #expect(optional.pathComponents.value == (flag ? ["a"] : []))
        let either = Request.Properties {
            if flag {
                PathComponents { "a" }
            } else {
                Headers { ("h", "1") }
                full
            }
        }
        #expect(either.headers.value == (flag ? [:] : ["h": "1,1"]))
        let chosen = Request.Properties {
            switch flag {
            case true: QueryItems { ("q", 1) }
            case false: PathComponents { "a" }
            }
        }
        #expect(chosen.pathComponents.value == (flag ? [] : ["a"]))
        let available = Request.Properties { if #available(macOS 15, iOS 18, *) { PathComponents { "a" } } }
        #expect(available.pathComponents.value == ["a"])
        let property: QueryItems? = flag ? QueryItems { ("q", 1) } : nil
        #expect(Request.Properties { property }.queryItems.value.count == (flag ? 1 : 0))
    }

    /// Many enough that copying each part for each that follows would take minutes.
    @Test func aLoopMayHaveManyParts() {
        let count = 100_000
        let properties = Request.Properties {
            for number in 0..<count {
                QueryItems { ("n", number) }
                PathComponents { for digit in 0...1 { digit } }
            }
        }
        #expect(properties.queryItems.value.map(\.value) == (0..<count).map(String.init))
        #expect(properties.pathComponents.value.count == 2 * count)
    }

    @Test func aLoopAddsFieldsAndBodiesAsTheirListDoes() {
        let properties = Request.Properties {
            for letter in ["a", "b"] {
                Headers { ("X-List", letter) }
                Headers { Header.authorization(.bearer(letter)) }
                Body { Form { ("n", letter) } }
            }
        }
        #expect(properties.headers.value == ["X-List": "a,b", "Authorization": "Bearer b"])
        #expect(properties.body.value == Data("n=a&n=b".utf8))
    }

    @Test func buildersLoop() {
        let properties = Request.Properties { for name in ["a", "b"] { PathComponents { name } } }
        #expect(properties.pathComponents.value == ["a", "b"])
    }
}
