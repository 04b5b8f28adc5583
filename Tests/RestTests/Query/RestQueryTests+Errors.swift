// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataCore
import StrataEncoding
import StrataRest
import StrataTesting
import Synchronization
import TestSupport
import Testing

extension RestQueryTests {
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
}
