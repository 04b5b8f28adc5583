// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataCore
import StrataEncoding
import StrataRest
import StrataTesting
import Synchronization
import TestSupport
import Testing

struct RestQueryTests {
    let kiwi = #"{"name": "kiwi", "size": 1, "color": "green"}"#
    let apple = Fruit(name: "apple", size: 2, color: "red")

    func fruit(_ transport: ScriptedTransport, token stored: RestBearerToken? = token, bearer: Bool = true)
        -> Rest<Fruit, Fruit>
    {
        Rest(
            wrappedValue: apple, path: "/fruit", bearer: bearer,
            configuration: makeConfiguration(transport, token: stored))
    }

    func failure(_ result: RestQueryResult<some RestQuery>) async -> RestQueryError? {
        do {
            _ = try await result.value
            return nil
        } catch {
            return error
        }
    }

    @Test func sendsNothingBeforeItIsConsumed() async throws {
        let transport = ScriptedTransport(.json(kiwi))
        let result = fruit(transport).projectedValue.get()
        #expect(transport.requests.isEmpty)
        _ = try await result.value
        _ = try await result.value
        #expect(transport.requests.count == 1)
    }

    @Test func failsWithoutATokenUnlessToldToGoAnonymously() async throws {
        let transport = ScriptedTransport(.json(kiwi))
        let property = fruit(transport, token: nil)
        for result in [property.projectedValue>?, property.projectedValue<!] {
            guard case .bearer? = await failure(result) else {
                Issue.record("no bearer error")
                return
            }
        }
        #expect(transport.requests.isEmpty)
        property.projectedValue.metadata.configuration.sendsAnonymously = true
        _ = try await property.projectedValue.get().value
        #expect(transport.requests[0]["Authorization"] == nil)
    }

    @Test func anEmptyTokenIsNone() async throws {
        let transport = ScriptedTransport(.json(kiwi))
        let property = fruit(transport, token: RestBearerToken(value: "", type: RestBearerType(value: "user")))
        guard case .bearer? = await failure(property.projectedValue>?) else {
            Issue.record("no bearer error")
            return
        }
        property.projectedValue.metadata.configuration.sendsAnonymously = true
        _ = try await property.projectedValue.get().value
        #expect(transport.requests.map { $0["Authorization"] } == [nil])
    }

    @Test func neverSendsTheTokenWhenItIsNotWanted() async throws {
        let transport = ScriptedTransport(.json(kiwi))
        _ = try await fruit(transport, bearer: false).projectedValue.get().value
        #expect(transport.requests[0]["Authorization"] == nil)
    }

    @Test func whatIsWrittenWhileTheValueIsPostedStays() async throws {
        let (gate, open) = AsyncStream.makeStream(of: Void.self)
        let (started, start) = AsyncStream.makeStream(of: Void.self)
        let transport = ScriptedTransport { _ in
            start.finish()
            for await _ in gate {}
            return .status(200)
        }
        let property = fruit(transport)
        let posted = Task { try await property.projectedValue.post().value }
        for await _ in started {}
        let banana = Fruit(name: "banana", size: 4, color: "yellow")
        property.wrappedValue = banana
        open.finish()
        #expect(try await posted.value == apple)
        #expect(property.wrappedValue == banana)
    }

    struct Harvest: Codable, Equatable { var pickedAt: Date }

    @Test func valuesAreWrittenAndReadByTheClientsJSONCoders() async throws {
        let (encoder, decoder) = (JSONEncoder(), JSONDecoder())
        encoder.keyEncodingStrategy = .convertToSnakeCase
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        let transport = ScriptedTransport { request in
            request.method == .get ? .json(#"{"picked_at": 5}"#) : .status(200)
        }
        let configuration = makeConfiguration(transport)
        configuration.client = NetworkClient(
            configuration: NetworkConfiguration(
                baseURL: nil, transport: transport, defaultEncoder: encoder, defaultDecoder: decoder))
        let start = Harvest(pickedAt: Date(timeIntervalSinceReferenceDate: 0))
        let query = Rest(wrappedValue: start, path: "harvest", configuration: configuration).projectedValue
        #expect(try await query.get().value.pickedAt == Date(timeIntervalSinceReferenceDate: 5))
        configuration.dateEncodingStrategy = .secondsSince1970
        configuration.dateDecodingStrategy = .secondsSince1970
        #expect(try await query.get().value.pickedAt == Date(timeIntervalSince1970: 5))
        _ = try await query.post().value
        #expect(transport.requests.last?.text == #"{"picked_at":5}"#)
    }

    @Test(arguments: [200, 204]) func anOptionalIsNilWithoutContent(_ status: Int) async throws {
        let transport = ScriptedTransport(.status(status))
        let property = Rest<Fruit?, Fruit?>(
            wrappedValue: apple, path: "f", configuration: makeConfiguration(transport))
        #expect(try await property.projectedValue.get().value == nil)
        #expect(property.wrappedValue == nil)
        let posted = property.projectedValue.post(apple)
        #expect(try await posted.answer(as: Fruit?.self) == nil)
        #expect(property.wrappedValue == apple)
        guard case .decode? = await failure(fruit(transport).projectedValue>?) else {
            Issue.record("no decoding error")
            return
        }
    }

    @Test func valuesWithANotationOfTheirOwnAreSentAndReadInIt() async throws {
        let url = try #require(URL(string: "https://h/x"))
        let transport = ScriptedTransport(.status(200), .status(200))
        let configuration = makeConfiguration(transport)
        _ = try await (Rest<URL, URL>(wrappedValue: url, path: "link", configuration: configuration).projectedValue<!)
            .value
        _ = try await
            (Rest<Data, Data>(wrappedValue: Data([1]), path: "data", configuration: configuration).projectedValue<!)
            .value
        #expect(try JSONDecoder().decode(URL.self, from: transport.requests[0].body) == url)
        #expect(transport.requests[1].text == #""AQ==""#)
    }

    @Test func aPathThatIsAURLStaysBelowTheHost() async throws {
        let transport = ScriptedTransport(.json(kiwi))
        let property = Rest<Fruit, Fruit>(
            wrappedValue: apple, path: "http://evil.example/x", configuration: makeConfiguration(transport))
        _ = try await property.projectedValue.get().value
        #expect(transport.requests[0].url.hasPrefix("https://api.example.com/"))
    }

    @Test func readsTheConfigurationWhenItSends() async throws {
        let transport = ScriptedTransport(.json(kiwi))
        let property = fruit(transport)
        let configuration = property.projectedValue.metadata.configuration
        configuration.host = "other.example"
        configuration.scheme = "HTTP"
        configuration.port = 8080
        _ = try await property.projectedValue.get().value
        #expect(transport.requests[0].url == "http://other.example:8080/fruit")
    }

    @Test func postsTheWholeAroundThePart() async throws {
        let transport = ScriptedTransport(.status(200))
        let property = Rest(
            wrappedValue: [apple], path: "fruits", params: ["limit": 1], parent: Fruits.self, prop: \.values,
            configuration: makeConfiguration(transport))
        _ = try await (property.projectedValue<!).value
        #expect(try JSONDecoder().decode(Fruits.self, from: transport.requests[0].body).values == [apple])
        #expect(transport.requests[0].target == "/fruits")
    }

    @Test func mergesParametersOfWhichTheNewOnesWin() async throws {
        let transport = ScriptedTransport(.json(kiwi))
        let property = Rest(
            wrappedValue: apple, path: "f", params: ["a": 1, "b": 2], configuration: makeConfiguration(transport))
        _ = try await (property.projectedValue ++ ["b": 3] ++ ["c": 4])>?.value
        #expect(transport.requests[0].target == "/f?a=1&b=3&c=4")
        #expect(property.wrappedValue.name == "kiwi")
        #expect((property.projectedValue ++ [String: String]()) === property.projectedValue)
    }

    @Test func offersTheAnswerToAPost() async throws {
        struct Created: Decodable { var id: Int }
        let result = fruit(ScriptedTransport(.json(#"{"id": 7}"#, status: 201))).projectedValue.post()
        #expect(try await result.value == apple)
        #expect(try await result.answer(as: Created.self).id == 7)
    }

    @Test func runsTheSecondAfterTheFirst() async throws {
        let transport = ScriptedTransport { request in
            request.method == .post ? .status(200) : .json(#"{"name": "kiwi", "size": 1, "color": "green"}"#)
        }
        let property = fruit(transport)
        let query = property.projectedValue
        let chained = query<! ->> query>?
        #expect(transport.requests.isEmpty)
        #expect(try await chained.value.name == "kiwi")
        #expect(transport.requests.map(\.method) == [.post, .get])
    }

    @Test func neverRunsTheSecondWhenTheFirstFails() async {
        let transport = ScriptedTransport(.status(500))
        let query = fruit(transport).projectedValue
        guard case .statusCode(500)? = await failure(query<! ->> query>?) else {
            Issue.record("the chain passed")
            return
        }
        #expect(transport.requests.count == 1)
    }

    @MainActor
    private final class View {
        var seen: [String] = []
        var subscription: AnyCancellable?
    }

    /// Closures that are written in code of the main actor end the program when they are called elsewhere.
    @MainActor @Test func codeOfTheMainActorGetsItsValuesThere() async {
        let view = View()
        view.subscription = fruit(ScriptedTransport(.json(kiwi))).projectedValue.get().sink { _ in
            view.seen.append("end")
        } receiveValue: { fruit in
            view.seen.append(fruit.name)
        }
        await eventually { view.seen.count == 2 }
        #expect(view.seen == ["kiwi", "end"])
    }

    @Test func withoutAQueueValuesArriveWhereTheRequestEnds() async throws {
        let property = fruit(ScriptedTransport(.json(kiwi)))
        property.projectedValue.metadata.configuration.deliveryQueue = nil
        let isMain = Mutex<[Bool]>([])
        let result = property.projectedValue.get()
            .success { isMain.withLock { $0.append(Thread.isMainThread) } }
        let subscription = result.sink { _ in isMain.withLock { $0.append(Thread.isMainThread) } }
        await eventually { isMain.withLock(\.count) == 2 }
        #expect(isMain.withLock { $0 } == [false, false])
        subscription.cancel()
    }

    @Test func goesOnWhileSomeoneStillWaits() async throws {
        let (gate, open) = AsyncStream.makeStream(of: Void.self)
        let (started, start) = AsyncStream.makeStream(of: Void.self)
        let transport = ScriptedTransport { _ in
            start.finish()
            for await _ in gate {}
            return .json(#"{"name": "kiwi", "size": 1, "color": "green"}"#)
        }
        let result = fruit(transport).projectedValue.get()
        let other = Task { try await result.value }
        for await _ in started {}
        let quitter = Task { try await result.value }
        quitter.cancel()
        guard case .failure(RestQueryError.cancelled) = await quitter.result else {
            Issue.record("the cancelled waiter got a value")
            return
        }
        open.finish()
        #expect(try await other.value.name == "kiwi")
    }

    @Test func callsBackOnSuccessAndFailure() async {
        for (reply, expected) in [(ScriptedReply.json(kiwi), "success"), (.status(500), "failure")] {
            let calls = Mutex<[String]>([])
            fruit(ScriptedTransport(reply)).projectedValue.get()
                .success { calls.withLock { $0.append("success") } }
                .failure { calls.withLock { $0.append("failure") } }
            await eventually { !calls.withLock(\.isEmpty) }
            for _ in 0..<200 { await Task.yield() }
            #expect(calls.withLock { $0 } == [expected])
        }
    }

    @Test func bindsAMissingValueToADefault() {
        let stored = Mutex<String?>(nil)
        let binding = Binding<String?>(
            get: { stored.withLock { $0 } }, set: { value in stored.withLock { $0 = value } })
        let text = binding ??? "none"
        #expect(text.wrappedValue == "none")
        text.wrappedValue = "some"
        #expect(text.wrappedValue == "some")
    }

    struct Settings: Codable, NoArgInit { var volume = 5 }

    struct Device: ParentCodable {
        var settings: Settings
        static func wrap(child: Settings) -> Device { Device(settings: child) }
    }

    @Test func beginsWithItsOwnValue() async throws {
        let transport = ScriptedTransport { request in
            request.path == "/whole" ? .json(#"{"volume": 7}"#) : .json(#"{"settings": {"volume": 8}}"#)
        }
        try await RestConfiguration.withCurrent(makeConfiguration(transport)) {
            @Rest(path: "whole") var whole: Settings
            @Rest(path: "whole", params: ["a": 1]) var wholeWithParameters: Settings
            @Rest(path: "part", parent: Device.self, prop: \.settings) var part: Settings
            @Rest(path: "part", params: ["a": 1], parent: Device.self, prop: \.settings)
            var partWithParameters: Settings
            #expect([whole, wholeWithParameters, part, partWithParameters].map(\.volume) == [5, 5, 5, 5])
            _ = try await ($whole>? ->> $wholeWithParameters>? ->> $part>? ->> $partWithParameters>?).value
            #expect([whole, wholeWithParameters, part, partWithParameters].map(\.volume) == [7, 7, 8, 8])
        }
        #expect(transport.requests.map(\.target) == ["/whole", "/whole?a=1", "/part", "/part?a=1"])
    }

    @Test func takesParametersOfMoreThanOneType() async throws {
        let transport = ScriptedTransport { request in
            request.path == "/whole" ? .json(#"{"volume": 7}"#) : .json(#"{"settings": {"volume": 8}}"#)
        }
        try await RestConfiguration.withCurrent(makeConfiguration(transport)) {
            @Rest(path: "whole", params: ["limit": 10, "on": true]) var whole: Settings
            @Rest(path: "whole", params: ["limit": 10, "on": true]) var wholeWithValue = Settings(volume: 1)
            @Rest(path: "part", params: ["limit": 10, "on": true], parent: Device.self, prop: \.settings)
            var part: Settings
            @Rest(path: "part", params: ["limit": 10, "on": true], parent: Device.self, prop: \.settings)
            var partWithValue = Settings(volume: 1)
            _ = try await ($whole>? ->> $wholeWithValue>? ->> $part>? ->> $partWithValue>?).value
            _ = try await ($whole ++ ["on": "no", "size": 2.5])>?.value
        }
        let targets = ["/whole", "/whole", "/part", "/part"].map { $0 + "?limit=10&on=true" }
        #expect(transport.requests.map(\.target) == targets + ["/whole?limit=10&on=no&size=2.5"])
    }

    @Test func twoParametersOfOneNameAreAnError() async throws {
        struct Key: Hashable, CustomStringConvertible {
            let number: Int
            var description: String { "same" }
        }
        let transport = ScriptedTransport(.json("{}"))
        await RestConfiguration.withCurrent(makeConfiguration(transport)) {
            @Rest(path: "x", params: [Key(number: 1): "a", Key(number: 2): "b"]) var fruit: Fruit = apple
            await #expect(throws: RestQueryError.self) { _ = try await $fruit>?.value }
            #expect(transport.requests.isEmpty)
        }
    }
}
