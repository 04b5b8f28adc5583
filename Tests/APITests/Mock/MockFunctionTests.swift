// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataAPI
import StrataCore
import Testing

struct MockFunctionTests {
    private let api = NotesAPIMock()

    @Test func answersFromTheScriptAndRemembersTheCalls() async throws {
        api.onNoteId.reply("one")
        api.onNoteId.reply("two")
        #expect(try await api.note(id: 1) == "one")
        #expect(try await api.note(id: 2) == "two")
        #expect(try await api.note(id: 3) == "two")
        #expect(api.onNoteId.calls == [1, 2, 3])
        api.onCreate.reply((id: 7, url: "u"))
        #expect(try await api.create(title: "t", tags: ["a"]) == (id: 7, url: "u"))
        #expect(api.onCreate.calls.map(\.title) == ["t"])
        api.onDelete.reply()
        try await api.delete(id: 1)
        #expect(
            api.log.calls == ["note(id:)", "note(id:)", "note(id:)", "create(title:tags:)", "delete(id:)"])
    }

    /// Its property cannot be a stored one.
    @available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
    @Test func aRequirementOfNewerVersionsIsScriptedAsAnyOther() async throws {
        let items = ItemsAPIMock()
        items.onNew.reply(Novelty(id: 1))
        items.onNew.reply(Novelty(id: 2))
        #expect(try await items.new(id: 7) == Novelty(id: 1))
        #expect(try await items.new(id: 8) == Novelty(id: 2))
        #expect(items.onNew.calls == [7, 8])
        #expect(items.log.calls == ["new(id:)", "new(id:)"])
    }

    @Test func failsAndPerforms() async throws {
        api.onNoteIdVersion.fail(NetworkClientError(.cannotConnect, "no"))
        await #expect(throws: NetworkClientError.self) { try await api.note(id: 1, version: 2) }
        api.onNoteId.perform { id in "note \(id)" }
        #expect(try await api.note(id: 5) == "note 5")
        api.onCreate.fail(CancellationError())
        do throws(NetworkClientError) {
            _ = try await api.create(title: "", tags: [])
            Issue.record("nothing was thrown")
        } catch {
            #expect(error.code == .cancelled)
        }
    }

    @Test func anAnswerThatRepeatsMakesWayForTheNext() async throws {
        api.onNoteId.reply("one")
        #expect(try await api.note(id: 1) == "one")
        api.onNoteId.fail(NetworkClientError(.cannotConnect, "no"))
        await #expect(throws: NetworkClientError.self) { try await api.note(id: 2) }
    }

    @Test func withoutAnAnswerItSaysSo() async throws {
        let error = await #expect(throws: MockError.self) { try await api.delete(id: 1) }
        #expect(error?.description.contains("delete(id:)") == true)
        #expect(error?.localizedDescription == error?.description)
        #expect(api.onDelete.calls == [1])
    }

    @Test func genericRepliesAreChecked() async throws {
        api.onDecode.reply([1, 2])
        #expect(try await api.decode([Int].self) == [1, 2])
        let error = await #expect(throws: MockError.self) { try await api.decode(String.self) }
        #expect(error?.description == "the reply to decode(_:) is a Array<Int>, and String was asked for")
    }

    @Test func whatOnlyTheFunctionKnowsIsAny() async throws {
        let items = ItemsAPIMock()
        items.onStore.reply()
        try await items.store(items: [1, 2], note: "n")
        #expect(items.onStore.calls.first?.items as? [Int] == [1, 2])
        #expect(items.onStore.calls.first?.note as? String == "n")
        items.onPair.reply((value: "v", count: 1))
        let pair = try await items.pair(String.self)
        #expect(pair == (value: "v", count: 1))
    }

    @Test func functionsWithTheSameLabelsAreNumbered() async throws {
        let items = ItemsAPIMock()
        items.onFindId.reply("number")
        items.onFindId2.reply("text")
        #expect(try await items.find(id: 1) == "number")
        #expect(try await items.find(id: "1") == "text")
    }

    @Test func aRequirementKeepsItsNameBesideTheMocksOwn() async throws {
        let hooks = HooksAPIMock()
        hooks.onMessage2.reply("m")
        hooks.onOnMessage.reply("o")
        #expect(try await hooks.message() == "m")
        #expect(try await hooks.onMessage() == "o")
    }

    @Test func streamsAreScripted() async throws {
        api.onWatch.stream("a", "b")
        var seen: [String] = []
        for await note in try await api.watch() { seen.append(note) }
        #expect(seen == ["a", "b"])
    }

    @Test func aStreamMayBeScriptedByAnArray() async throws {
        let notes = ["a", "b"]
        api.onWatch.stream(notes)
        var seen: [String] = []
        for await note in try await api.watch() { seen.append(note) }
        #expect(seen == notes)

        let throwing = MockFunction<Void, AsyncThrowingStream<[Int], any Error>>("lists()", log: MockLog())
        throwing.stream([[1], [2, 3]], failure: NetworkClientError(.connectionLost, "lost"))
        var lists: [[Int]] = []
        await #expect(throws: NetworkClientError.self) {
            for try await list in try await throwing(()) { lists.append(list) }
        }
        #expect(lists == [[1], [2, 3]])
    }

    @Test func streamsOfADeprecatedFunctionAreScriptedToo() async throws {
        let items = ItemsAPIMock()
        items.onOld.stream(1, 2)
        var seen: [Int] = []
        // As the function does, which nobody is to call.
        for try await number in try await items.onOld((id: 1, token: "t")) { seen.append(number) }
        #expect(seen == [1, 2])
    }
}
