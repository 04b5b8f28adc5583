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

    @Test func endpointsOfASubclassStandInItsExtension() async throws {
        #expect(try await MayorsAPI(provider).mayor(city: "a") == "3")
        #expect(transport.requests.last?.target == "/mayors/a")
        #expect(transport.requests.last?["x-a"] == "1")
        #expect(try await MayorsAPI(provider).all() == "3")
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

    @Test func aProtocolOfClassesHasAClientThatIsOne() async throws {
        let api: any ClassesAPI = ClassesAPIClient(provider)
        #expect(try await api.get() == 3)
    }

    @Test func propertiesAreSetByTheInitializer() async throws {
        #expect(try await CountingAPI(provider, next: { 7 }, region: "eu", language: "de").local() == 3)
        #expect(transport.requests.last?.target == "/c?region=eu&language=de&count=7")
    }

    @Test func aPropertyKeepsTheValueThatItsAttributeGives() async throws {
        #expect(try await PresetAPI(provider).local() == 3)
        #expect(transport.requests.last?.target == "/preset?region=eu")
    }

    @Test func aProviderMayBeTheTypesOwn() async throws {
        #expect(try await PinnedAPI().get() == 3)
        #expect(try await SharedAPI().get() == 4)
    }

    @Test func aPublicTypeMayHaveAPropertyThatIsNot() async throws {
        #expect(try await MembersAPI(provider, account: Account(id: 7)).mine() == 3)
        #expect(transport.requests.last?.target == "/members/7")
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
