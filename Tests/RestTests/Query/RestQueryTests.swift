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
    private let kiwi = #"{"name": "kiwi", "size": 1, "color": "green"}"#
    private let apple = Fruit(name: "apple", size: 2, color: "red")

    private func fruit(_ transport: ScriptedTransport, token stored: RestBearerToken? = token, bearer: Bool = true)
        -> Rest<Fruit, Fruit>
    {
        Rest(
            wrappedValue: apple, path: "/fruit", bearer: bearer,
            configuration: makeConfiguration(transport, token: stored))
    }

    private func failure(_ result: RestQueryResult<some RestQuery>) async -> RestQueryError? {
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

    @Test func checksTheStatusOfBothVerbs() async {
        let property = fruit(ScriptedTransport(.json(kiwi, status: 404)))
        for result in [property.projectedValue>?, property.projectedValue<!, property.projectedValue <- apple] {
            guard case .statusCode(404)? = await failure(result) else {
                Issue.record("a 404 passed")
                return
            }
        }
        #expect(property.wrappedValue == apple)
    }

    struct Problem: Decodable { var reason: String }

    @Test func aRefusalKeepsItsResponse() async throws {
        let property = fruit(ScriptedTransport(.json(#"{"reason": "taken"}"#, status: 422)))
        let result = property.projectedValue<!
        #expect(result.underlyingError == nil)
        guard case .statusCode(422)? = await failure(result) else {
            Issue.record("a 422 passed")
            return
        }
        let error = try #require(result.underlyingError)
        #expect(error.response?.status.code == 422)
        #expect(error.body == Data(#"{"reason": "taken"}"#.utf8))
        #expect(error.exchange?.attempts.count == 1)
        #expect(try error.decode(Problem.self).reason == "taken")
    }

    @Test(arguments: [0, 1]) func aChainKeepsTheResponseOfTheSideThatFailed(_ failing: Int) async {
        let transport = ScriptedTransport { request in
            request.number == failing ? .text("side \(failing)", status: 422) : .status(200)
        }
        let query = fruit(transport).projectedValue
        let chain = query<! ->> query<!
        guard case .statusCode(422)? = await failure(chain) else {
            Issue.record("the chain passed")
            return
        }
        #expect(chain.underlyingError?.body == Data("side \(failing)".utf8))
    }

    @Test func aFailureWithoutAnExchangeHasNoUnderlyingError() async {
        let result = fruit(ScriptedTransport(), token: nil).projectedValue.get()
        guard case .bearer? = await failure(result) else {
            Issue.record("no bearer error")
            return
        }
        #expect(result.underlyingError == nil)
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

    /// A store whose content has been damaged: what it throws looks like an error of the answer.
    private struct DamagedStore: TokenStore {
        private var damage: DecodingError {
            DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "damaged"))
        }

        func load() throws -> Data? { throw damage }
        func save(_ token: Data?) throws { throw damage }
    }

    @Test(arguments: [true, false]) func anErrorOfTheTokenStoreIsNoneOfTheAnswer(_ bearer: Bool) async {
        let transport = ScriptedTransport(.json(#"{"token": "fresh", "accountInfo": {"accountType": "user"}}"#))
        let query = fruit(transport, bearer: bearer).projectedValue
        query.metadata.configuration.tokenStore = DamagedStore()
        guard case .other(let error)? = await failure(query<!), error is DecodingError else {
            Issue.record("not the store's error")
            return
        }
        #expect(transport.requests.count == (bearer ? 0 : 1))
    }

    @Test(arguments: [#"{"name": 1}"#, String(repeating: "[", count: 513)])
    func keepsTheValueWhenTheAnswerIsNoModel(_ answer: String) async {
        let property = fruit(ScriptedTransport(.json(answer)))
        guard case .decode? = await failure(property.projectedValue>?) else {
            Issue.record("no decoding error")
            return
        }
        #expect(property.wrappedValue == apple)
    }

    @Test func theClientIsToldOfAnAnswerThatIsNoModel() async throws {
        let told = Mutex<[NetworkClientError.Code]>([])
        let answer = #"{"name": 1}"#
        var network = NetworkConfiguration(baseURL: nil, transport: ScriptedTransport(.json(answer, status: 201)))
        network.onDecodingFailure = { failure in told.withLock { $0.append(failure.code) } }
        let property = Rest<Fruit, Fruit>(
            wrappedValue: apple, path: "fruit", bearer: false,
            configuration: RestConfiguration(host: "api.example.com", client: NetworkClient(configuration: network)))
        let result = property.projectedValue.get()
        guard case .decode? = await failure(result) else {
            Issue.record("no decoding error")
            return
        }
        #expect(told.withLock { $0 } == [.decodingFailed])
        let error = try #require(result.underlyingError)
        #expect(error.response?.status.code == 201)
        #expect(error.body == Data(answer.utf8))
        #expect(error.exchange?.attempts.count == 1)
        let posted = property.projectedValue.post()
        await #expect(throws: RestQueryError.self) { try await posted.answer(as: Fruit.self) }
        #expect(posted.underlyingError?.body == Data(answer.utf8))
        #expect(told.withLock { $0 } == [.decodingFailed, .decodingFailed])
    }

    @Test func aTokenIsNoFailedModel() async throws {
        let told = Mutex(0)
        let token = #"{"token": "fresh", "accountInfo": {"accountType": "user"}}"#
        var network = NetworkConfiguration(baseURL: nil, transport: ScriptedTransport(.json(token)))
        network.onDecodingFailure = { _ in told.withLock { $0 += 1 } }
        let configuration = RestConfiguration(
            host: "api.example.com", client: NetworkClient(configuration: network))
        let property = Rest<Fruit, Fruit>(
            wrappedValue: apple, path: "fruit", bearer: false, configuration: configuration)
        #expect(try await property.projectedValue.get().value == apple)
        #expect(try await configuration.storedToken?.value == "fresh")
        #expect(told.withLock { $0 } == 0)
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

    @Test func tellsEncodingFailuresFromOthers() async {
        let transport = ScriptedTransport(.status(200))
        let configuration = makeConfiguration(transport)
        let double = Rest<[Double], [Double]>(wrappedValue: [.nan], path: "x", configuration: configuration)
        let decimal = Rest<[Decimal], [Decimal]>(wrappedValue: [.nan], path: "x", configuration: configuration)
        guard case .encode? = await failure(double.projectedValue<!),
            case .encode? = await failure(decimal.projectedValue<!)
        else {
            Issue.record("no encoding error")
            return
        }
        #expect(transport.requests.isEmpty)
    }

    @Test func mapsFailuresOfTheExchange() async {
        let codes: [(NetworkClientError.Code, URLError.Code)] = [
            (.dnsFailed, .cannotFindHost), (.cannotConnect, .cannotConnectToHost),
            (.tlsFailed, .secureConnectionFailed),
            (.connectionLost, .networkConnectionLost), (.timedOut, .timedOut),
        ]
        for (code, expected) in codes {
            guard case .url(let error)? = await failure(fruit(ScriptedTransport(.failure(code))).projectedValue>?)
            else {
                Issue.record("\(code) is no URL error")
                continue
            }
            #expect(error.code == expected)
        }
    }

    /// What typed throws make of a `CancellationError`.
    @Test func aCancellationIsOneByWhateverName() async {
        guard case .cancelled? = await failure(fruit(ScriptedTransport(.failure(.cancelled))).projectedValue>?) else {
            Issue.record("a cancelled request is something else")
            return
        }
    }

    @Test func aFailureOfURLSessionIsKept() async {
        let transport = ScriptedTransport(.failure(URLError(.notConnectedToInternet)))
        guard case .url(let error)? = await failure(fruit(transport).projectedValue>?) else {
            Issue.record("no URL error")
            return
        }
        #expect(error.code == .notConnectedToInternet)
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

    @Test func failsWithoutAHostOrWithMoreThanOne() async {
        let property = fruit(ScriptedTransport())
        for host in ["", "https://api.example.com", "api.example.com/v1", "user@api.example.com", "api example"] {
            property.projectedValue.metadata.configuration.host = host
            guard case .urlValidation? = await failure(property.projectedValue>?) else {
                Issue.record("no validation error for \(host)")
                continue
            }
        }
    }

    @Test(arguments: ["", "ftp", "https:", "https://evil.example/?x="])
    func failsWithASchemeThatIsNone(_ scheme: String) async {
        let transport = ScriptedTransport(.json(kiwi))
        let property = fruit(transport)
        property.projectedValue.metadata.configuration.scheme = scheme
        guard case .urlValidation? = await failure(property.projectedValue>?) else {
            Issue.record("no validation error")
            return
        }
        #expect(transport.requests.isEmpty)
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

    @Test func cancelsTheRequestWithItsSubscription() async throws {
        let (started, start) = AsyncStream.makeStream(of: Void.self)
        let (ended, end) = AsyncStream.makeStream(of: Bool.self)
        // Waits for ever, except for a cancel.
        let transport = ScriptedTransport { _ in
            start.finish()
            let never = AsyncStream<Never> { _ in }
            for await _ in never {}
            end.yield(Task.isCancelled)
            end.finish()
            throw CancellationError()
        }
        let cancellable = fruit(transport).projectedValue.get().sink(
            receiveCompletion: { _ in Issue.record("a cancelled request completed") }, receiveValue: { _ in })
        for await _ in started {}
        cancellable.cancel()
        for await wasCancelled in ended { #expect(wasCancelled) }
    }

    @Test func aRequestMayAskForItsResultWhileItIsCancelled() async throws {
        let (started, start) = AsyncStream.makeStream(of: Void.self)
        let (cancelled, cancel) = AsyncStream.makeStream(of: Void.self)
        let transport = ScriptedTransport { _ in
            await withTaskCancellationHandler {
                start.finish()
                for await _ in cancelled {}
            } onCancel: {
                cancel.finish()
            }
            throw CancellationError()
        }
        let result = fruit(transport).projectedValue.get()
        cancel.onTermination = { _ in _ = result.underlyingError }
        let waiting = Task { try await result.value }
        for await _ in started {}
        waiting.cancel()
        guard case .failure(RestQueryError.cancelled) = await waiting.result else {
            Issue.record("the cancelled waiter got a value")
            return
        }
    }

    @Test func leavesTheValueWhenTheAnswerComesAfterTheCancel() async throws {
        let (gate, open) = AsyncStream.makeStream(of: Void.self)
        let (started, start) = AsyncStream.makeStream(of: Void.self)
        // Takes no notice of a cancel.
        let transport = ScriptedTransport { _ in
            start.finish()
            await Task { for await _ in gate {} }.value
            return .json(#"{"name": "kiwi", "size": 1, "color": "green"}"#)
        }
        let property = fruit(transport)
        let result = property.projectedValue.get()
        let quitter = Task { try await result.value }
        for await _ in started {}
        quitter.cancel()
        _ = await quitter.result
        open.finish()
        guard case .cancelled? = await failure(result) else {
            Issue.record("a cancelled request has a value")
            return
        }
        #expect(property.wrappedValue == apple)
    }

    /// Hands an answer on when the call has been cancelled.
    private struct Dawdle: NetworkMiddleware {
        let answered: AsyncStream<Void>.Continuation

        func intercept(_ request: TransportRequest, next: Next) async throws -> TransportResponse {
            let response = try await next(request)
            answered.finish()
            while !Task.isCancelled { await Task.yield() }
            return response
        }
    }

    @Test func leavesTheValueWhenTheCancelComesAfterTheAnswer() async throws {
        try await giveUpAfterTheAnswer(kiwi) { $0.get() }
        try await giveUpAfterTheAnswer(kiwi) { $0.post(Fruit(name: "fig", size: 1, color: "blue")) }
    }

    @Test func storesNoTokenWhenTheCancelComesAfterTheAnswer() async throws {
        let answer = #"{"token": "fresh", "accountInfo": {"accountType": "user"}}"#
        try await giveUpAfterTheAnswer(answer, bearer: false) { $0.post() }
    }

    private typealias Query = RestQueryImpl<Fruit, Fruit>

    private func giveUpAfterTheAnswer(
        _ answer: String, bearer: Bool = true, _ call: (Query) -> RestQueryResult<Query>
    ) async throws {
        let answered = AsyncStream.makeStream(of: Void.self)
        let property = fruit(ScriptedTransport(), bearer: bearer)
        let configuration = property.projectedValue.metadata.configuration
        configuration.client = NetworkClient(
            configuration: NetworkConfiguration(
                baseURL: nil, transport: ScriptedTransport(.json(answer)),
                middleware: [Dawdle(answered: answered.continuation)]))
        let result = call(property.projectedValue)
        let quitter = Task { try await result.value }
        for await _ in answered.stream {}
        quitter.cancel()
        _ = await quitter.result
        guard case .cancelled? = await failure(result) else {
            Issue.record("a cancelled request has a value")
            return
        }
        #expect(property.wrappedValue == apple)
        #expect(try await configuration.storedToken == token)
    }

    /// The first request is answered after the second, by what the gate lets through.
    private func overtaken(by later: (Query) -> RestQueryResult<Query>) async throws -> Rest<Fruit, Fruit> {
        let (gate, open) = AsyncStream.makeStream(of: Void.self)
        let (started, start) = AsyncStream.makeStream(of: Void.self)
        let number = Mutex(0)
        let transport = ScriptedTransport { _ in
            let number = number.withLock { number in
                number += 1
                return number
            }
            if number == 1 {
                start.finish()
                for await _ in gate {}
            }
            return .json(#"{"name": "answer", "size": \#(number), "color": "green"}"#)
        }
        let property = fruit(transport)
        let first = Task { try await property.projectedValue.get().value }
        for await _ in started {}
        _ = try await later(property.projectedValue).value
        open.finish()
        #expect(try await first.value.size == 1)
        return property
    }

    @Test func anAnswerThatIsOvertakenIsNotTheValue() async throws {
        #expect(try await overtaken { $0.get() }.wrappedValue.size == 2)
        let posted = Fruit(name: "fig", size: 42, color: "blue")
        #expect(try await overtaken { $0.post(posted) }.wrappedValue == posted)
        let written = try await overtaken { query in
            query.wrappedValue = posted
            return query.post()
        }
        #expect(written.wrappedValue == posted)
    }

    @Test func aRequestThatFailedLeavesTheValueToAnEarlierOne() async throws {
        let (gate, open) = AsyncStream.makeStream(of: Void.self)
        let (started, start) = AsyncStream.makeStream(of: Void.self)
        let transport = ScriptedTransport { request in
            if request.method == .post { return .status(500) }
            start.finish()
            for await _ in gate {}
            return .json(#"{"name": "kiwi", "size": 1, "color": "green"}"#)
        }
        let property = fruit(transport)
        let first = Task { try await property.projectedValue.get().value }
        for await _ in started {}
        _ = await failure(property.projectedValue.post(Fruit(name: "fig", size: 42, color: "blue")))
        open.finish()
        _ = try await first.value
        #expect(property.wrappedValue.name == "kiwi")
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
