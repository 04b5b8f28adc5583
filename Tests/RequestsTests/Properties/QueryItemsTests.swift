// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataRequests
import Testing

struct QueryItemsTests {
    private func item(_ name: String, _ value: String?) -> URLQueryItem { URLQueryItem(name: name, value: value) }

    @Test func itemsAreMadeOfWhatDescribesItself() {
        #expect(QueryItem("a", true).urlQueryItem == item("a", "true"))
        #expect(QueryItem("a", 1).value == "1")
        #expect(QueryItem("a", nil).value == nil)
        #expect(QueryItem(item("a", "b")) == QueryItem("a", "b"))
        #expect(QueryItem(QueryItem.Name("page"), 2) == QueryItem("page", "2"))
    }

    @Test func datesAreISO8601() {
        let items = QueryItems { ("since", Date(timeIntervalSince1970: 1_767_225_600.25)) }
        #expect(items.value == [item("since", "2026-01-01T00:00:00.25Z")])
    }

    private enum Priority: String { case high }

    private enum Color: String, CustomStringConvertible {
        case red
        var description: String { "the red one" }
    }

    @Test func enumerationsAreTheirRawValues() {
        let (some, none): (Priority?, Priority?) = (.high, nil)
        let items = QueryItems {
            ("a", Priority.high)
            ("b", some)
            ("c", none)
            ("d", Color.red)
            ("e", [Priority.high])
        }
        #expect(
            items.value == [
                item("a", "high"), item("b", "high"), item("c", nil), item("d", "red"), item("e", "high"),
            ])
        #expect(Form { ("a", Priority.high) }.items.map(\.value) == ["high"])
    }

    @Test func arraysRepeatTheName() {
        let values: [Int]? = [3, 4]
        let items = QueryItems {
            ("a", [1, 2])
            ("b", [Int]())
            ("c", values)
            ("d", ["x", "y", "z"].dropFirst())
            ("e", [1, nil, 2] as [Int?])
            ("f", Set(["one"]))
            ("g", [Date(timeIntervalSince1970: 1_767_225_600.25)])
            ("h", [1, "two", true] as [any CustomStringConvertible])
        }
        #expect(
            items.value == [
                item("a", "1"), item("a", "2"), item("c", "3"), item("c", "4"), item("d", "y"), item("d", "z"),
                item("e", "1"), item("e", "2"), item("f", "one"), item("g", "2026-01-01T00:00:00.25Z"), item("h", "1"),
                item("h", "two"), item("h", "true"),
            ])
        #expect(Form { ("a", [1, 2]) }.items.map(\.value) == ["1", "2"])
    }

    @Test func aDictionaryNamesItsEntries() {
        enum Sort: String { case up }
        let none: [String: Int]? = nil
        let items = QueryItems {
            ("a", ["y": 2, "x": 1])
            ("b", [Sort.up: [1, 2]])
            ("c", ["k": ["z": Sort.up], "n": nil])
            ("d", none)
            ("e", [:] as [String: Int])
        }
        #expect(
            items.value == [
                item("a[x]", "1"), item("a[y]", "2"), item("b[up]", "1"), item("b[up]", "2"), item("c[k][z]", "up"),
                item("d", nil),
            ])
        #expect(Form { ("a", ["k": "v"]) }.items.map(\.name) == ["a[k]"])
    }

    @Test func dataIsBase64() {
        let data = Data([0xFB, 0xFF])
        #expect(QueryItems { ("a", data) }.value == [item("a", "+/8=")])
        #expect(QueryItems { ("a", [data]) }.value == [item("a", "+/8=")])
        #expect(QueryItem("a", data).value == "+/8=")
    }

    @Test func itemsAreJoinedInOrder() {
        let (first, second) = (QueryItems { ("a", 1) }, QueryItems { ("a", 2) })
        #expect((first + second).value == [item("a", "1"), item("a", "2")])
        #expect(QueryItems {}.value.isEmpty)
    }

    @Test func everythingThatIsListedIsTaken() {
        let none: QueryItem? = nil
        let items = QueryItems {
            ("a", "1")
            ("b", 2)
            ("c", nil)
            item("d", "4")
            QueryItem("e", 5.5)
            none
            QueryItems { ("f", false) }
            [item("g", "7")]
            [QueryItem("h", 8)]
        }
        #expect(
            items.value == [
                item("a", "1"), item("b", "2"), item("c", nil), item("d", "4"), item("e", "5.5"), item("f", "false"),
                item("g", "7"), item("h", "8"),
            ])
    }

    @Test(arguments: [true, false])
    func buildersBranch(_ flag: Bool) {
        #expect(QueryItems { if flag { ("a", 1) } }.value == (flag ? [item("a", "1")] : []))
        let either = QueryItems { if flag { ("a", 1) } else { QueryItem("b", 2) } }
        #expect(either.value == [flag ? item("a", "1") : item("b", "2")])
        #expect(QueryItems { if #available(macOS 15, iOS 18, *) { ("a", 1) } }.value == [item("a", "1")])
    }

    @Test func buildersLoop() {
        let items = QueryItems { for number in 1...2 { ("n", number) } }
        #expect(items.value == [item("n", "1"), item("n", "2")])
    }

    @Test(arguments: [true, false]) func anOptionalIsWhatItHolds(_ isThere: Bool) {
        let items: QueryItems? = isThere ? QueryItems { ("a", 1) } : nil
        let item: URLQueryItem? = isThere ? URLQueryItem(name: "b", value: "2") : nil
        let list: [URLQueryItem]? = isThere ? [URLQueryItem(name: "c", value: nil)] : nil
        let query = QueryItems {
            items
            item
            list
        }
        #expect(query.value.map(\.name) == (isThere ? ["a", "b", "c"] : []))
    }
}
