// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataRequests
import Testing

struct PathComponentsTests {
    @Test func componentsAreJoinedInOrder() {
        let (first, second) = (PathComponents { "a" }, PathComponents { "b" })
        #expect((first + second).value == ["a", "b"])
        #expect(first.append(to: second).value == ["a", "b"])
        #expect(PathComponents {}.value.isEmpty)
    }

    @Test func everythingThatIsListedIsTaken() {
        let none: String? = nil
        let components = PathComponents {
            "first"
            ""
            2
            none
            PathComponents { "third" }
            ["fourth", 5]
            ["sixth"]
            Substring("seventh")
        }
        #expect(components.value == ["first", "2", "third", "fourth", "5", "sixth", "seventh"])
    }

    @Test func datesAreISO8601() {
        let dates = [Date(timeIntervalSince1970: 1_767_225_600), Date(timeIntervalSince1970: 0)]
        let components = PathComponents {
            dates[0]
            dates[1...]
            [dates[0], 2]
        }
        let first = "2026-01-01T00:00:00Z"
        #expect(components.value == [first, "1970-01-01T00:00:00Z", first, "2"])
    }

    @Test func eachOfAListIsASegment() {
        let some: [String]? = ["a", "b"]
        let none: [String]? = nil
        let slice: ArraySlice<Int>? = [1, 2, 3].dropFirst()
        let components = PathComponents {
            some
            none
            ["root", "c", "d"].dropFirst()
            slice
        }
        #expect(components.value == ["a", "b", "c", "d", "2", "3"])
    }

    @Test(arguments: [true, false])
    func buildersBranch(_ flag: Bool) {
        #expect(PathComponents { if flag { "a" } }.value == (flag ? ["a"] : []))
        #expect(PathComponents { if flag { "a" } else { 2 } }.value == (flag ? ["a"] : ["2"]))
        #expect(PathComponents { if #available(macOS 15, iOS 18, *) { "a" } }.value == ["a"])
    }

    @Test func buildersLoop() {
        #expect(PathComponents { for name in ["a", "b"] { name } }.value == ["a", "b"])
    }

    private enum Section: String { case news, archive = "old" }
    private struct Number: RawRepresentable { var rawValue: Int }
    private enum Named: String, CustomStringConvertible {
        case first
        var description: String { "1st" }
    }

    @Test func anEnumerationIsItsRawValue() {
        let none: Section? = nil
        let components = PathComponents {
            Section.archive
            Number(rawValue: 3)
            Named.first
            Optional(Section.news)
            none
        }
        #expect(components.value == ["old", "3", "first", "news"])
    }

    @Test func theElementsOfAListAreWrittenAsTheyAreAlone() {
        let sections: [Section]? = [.news, .archive]
        let gaps: [Int?] = [1, nil, 2]
        let components = PathComponents {
            sections
            [Named.first][...]
            gaps
            Set([Number(rawValue: 3).rawValue])
            ContiguousArray(["a/b", "c"])
        }
        #expect(components.value == ["news", "old", "first", "1", "2", "3", "a/b", "c"])
    }

    @Test(arguments: [true, false]) func anOptionalIsWhatItHolds(_ isThere: Bool) {
        let components: PathComponents? = isThere ? PathComponents { "a" } : nil
        #expect(PathComponents { components }.value == (isThere ? ["a"] : []))
    }
}
