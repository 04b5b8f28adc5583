// SPDX-License-Identifier: Apache-2.0

import StrataAPI
import StrataCore
import StrataTesting
import Testing

private struct Secret: Codable, Equatable { var id: Int }

@API
private protocol SecretsAPI {
    @GET("/secret") func secret() async throws -> Secret
}

/// What `@API` adds to types.
struct TypeTests {
    private let transport = ScriptedTransport(.json("3"))
    private var provider: Provider { Provider(baseURL: "https://api.example", transport: transport) }

    @Test func actorsClassesAndNestedTypesCall() async throws {
        #expect(try await CountersAPI(provider).twice() == 6)
        #expect(try await CountersAPI(provider).peek() == 3)
        #expect(try await RegionalAPI(provider, region: "eu").local() == "3")
        #expect(transport.requests.last?["x-region"] == "eu")
        #expect(try await Namespace.Isolated(provider).get() == "3")
    }

    @Test func anyClientWillDo() async throws {
        let client = NetworkClient(configuration: provider.client.configuration)
        #expect(try await CountersAPI(client).count() == 3)
        #expect(RegionalAPI(client, region: "eu").limit == 3)
    }

    @Test func aProtocolHasAClient() async throws {
        let api: any NotesAPI = NotesAPIClient(
            Provider(
                baseURL: "https://api.example", transport: ScriptedTransport(.json(#"{"id": 1, "url": "u"}"#))))
        #expect(try await api.create(title: "t", tags: ["a"]) == (id: 1, url: "u"))
        try await PlainAPIClient(provider).put("text")
        #expect(transport.requests.last?.text == "text")
        #expect(transport.requests.last?["x-a"] == "1")
    }

    @Test func propertiesAreSetByTheInitializer() async throws {
        #expect(try await CountingAPI(provider, next: { 7 }, region: "eu", language: "de").local() == 3)
        #expect(transport.requests.last?.target == "/c?region=eu&language=de&count=7")
    }

    @Test func aHiddenProtocolHasAClientAndAMock() async throws {
        let provider = Provider(baseURL: "https://api.example", transport: ScriptedTransport(.json(#"{"id": 1}"#)))
        #expect(try await SecretsAPIClient(provider).secret() == Secret(id: 1))
        let mock = SecretsAPIMock()
        mock.onSecret.reply(Secret(id: 2))
        #expect(try await mock.secret() == Secret(id: 2))
    }

    @Test func aRequirementMayHaveACondition() async throws {
        #expect(try await ItemsAPIClient(provider).here() == "3")
        #expect(transport.requests.last?.target == "/here")
        #expect(ItemsAPIClient.endpoints.last?.template == "/here")
        let mock = ItemsAPIMock()
        mock.onHere.reply("there")
        #expect(try await mock.here() == "there")
    }

    @Test func aParameterMayHideTheInstance() async throws {
        #expect(try await SelvesAPIClient(provider).find(self: "a", page: 2) == "3")
        #expect(transport.requests.last?.target == "/selves/a?page=2")
        let mock = SelvesAPIMock()
        mock.onFind.reply("b")
        #expect(try await mock.find(self: "a", page: 2) == "b")
        #expect(mock.onFind.calls.last?.page == 2)
    }

    @Test func membersMayHaveTheNamesOfTheGeneratedOnes() async throws {
        #expect(try await PartnersAPI(provider, client: "acme").mine() == 3)
        let client = NetworkClient(configuration: provider.client.configuration)
        #expect(try await PartnersAPI(client, client: "a").mine() == 3)
        #expect(transport.requests.map(\.target) == ["/partners?client=acme", "/partners?client=a"])
        let logs = LogsAPIClient(provider)
        #expect(try await logs.provider() == "3")
        #expect(try await logs.log() == "3")
        let mock = LogsAPIMock()
        mock.onLog.reply("l")
        mock.onListAll.reply("a")
        #expect(try await mock.log() == "l")
        #expect(try await mock.`list all`(`user-id`: 7) == "a")
        #expect(mock.onListAll.calls == [7])
        #expect(mock.apiLog.calls == ["log()", "list all(user-id:)"])
    }

    @Test func endpointsAreListed() {
        #expect(
            NotesAPIClient.endpoints.map(\.description) == [
                "GET /notes/{id}  note(id:) -> String  path: id",
                "GET /notes/{id}  note(id:version:) -> String  path: id, query: version",
                "POST /notes  create(title:tags:) -> (id: Int, url: String)  field: title, field: tags",
                "DELETE /notes/{id}  delete(id:) -> Void  path: id",
                "GET /notes  decode(_:) -> T",
                "GET /notes/watch  watch() -> AsyncStream<String>",
            ])
        let options = AccountsAPI.endpoints.first { $0.function == "options(tenant:)" }
        #expect(options?.parameters == [.init("tenant", in: .tag, type: "String?")])
        #expect(AccountsAPI.endpoints.first { $0.function == "page(_:size:)" }?.template == nil)
    }
}

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

    @Test func withoutAnAnswerItSaysSo() async throws {
        let error = await #expect(throws: MockError.self) { try await api.delete(id: 1) }
        #expect(error?.description.contains("delete(id:)") == true)
        #expect(api.onDelete.calls == [1])
    }

    @Test func genericRepliesAreChecked() async throws {
        api.onDecode.reply([1, 2])
        #expect(try await api.decode([Int].self) == [1, 2])
        await #expect(throws: MockError.self) { try await api.decode(String.self) }
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

    @Test func streamsAreScripted() async throws {
        api.onWatch.stream("a", "b")
        var seen: [String] = []
        for await note in try await api.watch() { seen.append(note) }
        #expect(seen == ["a", "b"])
    }
}
