// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataCore
import StrataEncoding
import StrataTesting
import TestSupport
import Testing

@testable import StrataStreaming

/// Which events of a stream are taken, by their names.
struct EventTableTests {
    private static let text = """
        data: 1

        event: a
        data: 2

        event: b
        data: 3

        event: error
        data: 4

        event: a
        data: 5


        """

    private func events(_ text: String = text) -> ServerSentEvents {
        ServerSentEvents(TransportResponse(head: HTTPResponse(status: .ok), body: ResponseBody(Data(text.utf8))))
    }

    /// What comes before the end, or an error.
    private func read<Model>(_ table: EventDecoding<Model>) async -> (elements: [Model], error: NetworkClientError?) {
        var elements: [Model] = []
        do {
            for try await element in events().decoding(table, using: JSONDecoder()) { elements.append(element) }
            return (elements, nil)
        } catch {
            return (elements, error as? NetworkClientError)
        }
    }

    @Test func eachTableTakesItsEvents() async {
        let add = EventDecoding<Int>()
        let rows: [(String, EventDecoding<Int>, [Int], isError: Bool)] = [
            ("none", add, [], true), ("every", .every(), [1, 2, 3], true), ("named", .named(["a"]), [2], true),
            ("no names", .named([]), [], true), ("two names", .named(["message", "b"]), [1, 3], true),
            ("error too", .named(["a", "error"]), [2, 4, 5], false),
            ("without errors", add.onOthers(decoding: Int.self) { $0 }.ignoring("error", "b"), [1, 2, 5], false),
            ("until a", .every(until: .event("a")), [1], false),
            ("until b", .named(["a"], until: .event("b")), [2], false),
            ("until data", .every(until: .data("3")), [1, 2], false),
            ("some elements", add.on("a", decoding: Int.self) { $0 == 2 ? nil : $0 }.ignoring("error"), [5], false),
            ("the last of two", add.on("a", decoding: Int.self) { $0 }.on("a", decoding: Int.self) { -$0 }, [-2], true),
        ]
        for (name, table, expected, isError) in rows {
            let (elements, error) = await read(table)
            #expect(elements == expected, "\(name)")
            #expect(error?.code == (isError ? .errorEvent : nil), "\(name)")
            #expect(error?.body == (isError ? Data("4".utf8) : nil), "\(name)")
        }
    }

    @Test func eventsComeAsTheyAre() async {
        let all = await read(.asTheyCome(nil))
        #expect(all.elements.map(\.data) == ["1", "2", "3", "4", "5"] && all.error == nil)
        let some = await read(.asTheyCome(["a", "error"]))
        #expect(some.elements.map(\.data) == ["2", "4", "5"] && some.error == nil)
        let one = await read(.asTheyCome(["b"]))
        #expect(one.elements.map(\.data) == ["3"] && one.error?.code == .errorEvent)
        let none = await read(.asTheyCome([]))
        #expect(none.elements.isEmpty && none.error?.code == .errorEvent)
    }

    /// The body may end without the mark where it is not required.
    @Test(arguments: [
        (EventStreamEnd.body, [1], false), (.data("2"), [1], false), (.data("2", isRequired: true), [1], false),
        (.event("end", isRequired: true), [1], false), (.event("other"), [1, 2], false),
        (.event("other", isRequired: true), [1, 2], true), (.data("3", isRequired: true), [1, 2], true),
    ])
    func aRequiredMarkHasToCome(_ end: EventStreamEnd, _ expected: [Int], _ isMissing: Bool) async throws {
        let text = "data: 1\n\nevent: end\ndata: 2\n\n"
        var iterator = events(text).decoding(Int.self, until: end, using: JSONDecoder()).makeAsyncIterator()
        var elements: [Int] = []
        var error: (any Error)?
        do {
            while let element = try await iterator.next() { elements.append(element) }
        } catch let thrown { error = thrown }
        #expect(elements == (end == .body ? [1, 2] : expected))
        #expect((error as? NetworkClientError)?.code == (isMissing ? .connectionLost : nil))
        // It is over, and says nothing more.
        #expect(try await iterator.next() == nil)
    }

    @Test func afterTheMarkTheEventsEndForGood() async throws {
        var iterator = events("data: 1\n\ndata: end\n\ndata: 2\n\n").makeAsyncIterator()
        let end = EventStreamEnd.data("end", isRequired: true)
        #expect(try await iterator.next(until: end)?.data == "1")
        for _ in 1...2 { #expect(try await iterator.next(until: end) == nil) }
        var other = events("data: 1\n\n").makeAsyncIterator()
        #expect(try await other.next(until: end)?.data == "1")
        await #expect(throws: NetworkClientError.self) { _ = try await other.next(until: end) }
    }

    @Test(arguments: [
        ("[DONE]", true), ("[DONE] ", true), ("[DONE]\t \t", true), ("[DONE]x", false), (" [DONE]", false),
        ("[DONE", false),
        ("[DONE]\n", false), ("", false),
    ])
    func onlyBlanksMayStandBehindAMark(_ data: String, _ matches: Bool) {
        let event = ServerSentEvent(type: "message", data: data, id: nil, retry: nil, lastEventID: "")
        #expect(EventStreamEnd("[DONE]").matches(event) == matches)
        #expect(!EventStreamEnd.body.matches(event) && !EventStreamEnd.event("[DONE]").matches(event))
        #expect(EventStreamEnd.event("message").matches(event) && !EventStreamEnd.data("message").matches(event))
    }

    /// An error keeps what is needed to read its body later.
    @Test func theErrorOfAnElementKeepsItsDecoder() async throws {
        let decoder = JSONKeyPathDecoder("text")
        let elements = events("data: {\"text\": \"a\"}\n\ndata: {\"text\": 1}\n\n").decoding(
            String.self, using: decoder)
        let error = await #expect(throws: NetworkClientError.self) { _ = try await elements.all() }
        #expect(error?.code == .decodingFailed && error?.body == Data("{\"text\": 1}".utf8))
        #expect(try error?.decode(Int.self) == 1)
        #expect(error?.decoder?.acceptedContentTypes == decoder.acceptedContentTypes)
        #expect(error?.decoder?.decodesPartOfBody == true)
    }
}
