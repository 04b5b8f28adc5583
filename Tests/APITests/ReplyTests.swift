// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataAPI
import StrataCore
import StrataTesting
import Testing

/// What endpoints return and throw.
struct ReplyTests {
    private func api(_ reply: ScriptedReply) -> AccountsAPI {
        AccountsAPI(Provider(baseURL: "https://api.example", transport: ScriptedTransport(reply)))
    }

    @Test func bytesAndTextAreTheBody() async throws {
        #expect(try await api(.json("[1]")).data() == Data("[1]".utf8))
        #expect(try await api(.json("\"x\"")).text() == "\"x\"")
        #expect(try await api(.json("\"x\"")).generic(String.self) == "\"x\"")
        #expect(try await api(.json("[1]")).generic(Data.self) == Data("[1]".utf8))
        #expect(try await api(.json("[1]")).generic([Int].self) == [1])
    }

    @Test func anOptionalIsNilWithoutContent() async throws {
        #expect(try await api(.status(204)).optional() == nil)
        #expect(try await api(.status(200)).optional() == nil)
        #expect(try await api(.json("null")).optional() == nil)
        #expect(try await api(.json(#"{"id": 1}"#)).optional() == Account(id: 1))
        await #expect(throws: NetworkClientError.self) { try await api(.status(200)).generic(Account.self) }
    }

    @Test func headsAndRecordsComeAlong() async throws {
        #expect(try await api(.status(202, fields: [.eTag: "x"])).head().status == .accepted)
        let response = try await api(.json(#"{"id": 1}"#, fields: [.eTag: "x"])).response()
        #expect(response.value == Account(id: 1))
        #expect(response.response.headerFields[.eTag] == "x")
        #expect(response.exchange.attempts.count == 1)
        #expect(try await api(.status(201)).emptyResponse().response.status == .created)
    }

    // MARK: Tuples

    @Test func tuplesAreFoundByLabel() async throws {
        let (id, name, tags) = try await api(.json(#"{"tags": ["a"], "id": 1, "more": 2}"#)).tuple()
        #expect(id == 1)
        #expect(name == nil)
        #expect(tags == ["a"])
    }

    @Test func onlyAnOptionalElementMayBeMissing() async throws {
        #expect(try await api(.json(#"{"id": 1, "more": [2]}"#)).jsonTuple().more == [2])
        let error = await #expect(throws: NetworkClientError.self) {
            _ = try await api(.json(#"{"id": 1}"#)).jsonTuple()
        }
        #expect(error?.code == .decodingFailed)
    }

    @Test func tuplesAreReadFromArraysInOrder() async throws {
        let (id, name, tags) = try await api(.json(#"[1, "n", ["a"]]"#)).tuple()
        #expect(id == 1)
        #expect(name == "n")
        #expect(tags == ["a"])
    }

    @Test func tuplesStandInOneAnother() async throws {
        let list = try await api(
            .json(#"[{"id": 1}, {"id": 2, "owner": {"id": 3, "name": "n"}}, {"id": 4, "owner": null}]"#)
        )
        .tuples()
        #expect(list.map(\.id) == [1, 2, 4])
        #expect(list.map { $0.owner?.id } == [nil, 3, nil])
        let table = try await api(.json(#"{"x": {"a": 1, "b": [[2], []]}}"#)).table()
        #expect(table["x"]?.a == 1)
        #expect(table["x"]?.b == [[2], []])
        let pair = try await api(.json(#"{"value": "v", "count": 1}"#)).genericTuple(String.self)
        #expect(pair == (value: "v", count: 1))
    }

    @Test func keysOfADictionaryStayAsTheyAre() async throws {
        let table = try await api(
            .json(#"{"user_one": {"first_name": "Ada", "tag_counts": {"a_b": {"in_all": 2, "in_use": 1}}}}"#)
        )
        .snakeTable()
        #expect(Array(table.keys) == ["user_one"])
        #expect(table["user_one"]?.firstName == "Ada")
        #expect(table["user_one"]?.tagCounts["a_b"]?.inAll == 2)
        #expect(table["user_one"]?.tagCounts["a_b"]?.inUse == 1)
    }

    @Test func anOptionalTupleIsNilWithoutContent() async throws {
        #expect(try await api(.status(204)).optionalTuple() == nil)
        #expect(try await api(.json("null")).optionalTuple() == nil)
        let pair = try #require(try await api(.json(#"{"a": 1, "b": 2}"#)).optionalTuple())
        #expect(pair == (a: 1, b: 2))
    }

    @Test(arguments: [#"{"id": 1}"#, #"{"id": "x", "tags": []}"#, "[1]", "3", "{}", ""])
    func whatIsNoTupleIsAnError(body: String) async throws {
        let error = await #expect(throws: NetworkClientError.self) { _ = try await api(.json(body)).tuple() }
        #expect(error?.code == .decodingFailed)
        #expect(error?.cause is JSONDecodingError)
    }

    @Test func anErrorNamesTheTupleThatWasAskedFor() async throws {
        let error = await #expect(throws: NetworkClientError.self) { _ = try await api(.json("3")).tuple() }
        let place = ": expected an object, found a number (line 1, column 1)"
        #expect(
            error?.message
                == "the body could not be decoded as (id: Int, name: Optional<String>, tags: Array<String>)\(place)")
        let optional = await #expect(throws: NetworkClientError.self) { _ = try await api(.json("3")).optionalTuple() }
        #expect(optional?.message == "the body could not be decoded as Optional<(a: Int, b: Int)>\(place)")
    }

    // MARK: Key paths

    @Test func aKeyPathLeadsToTheValue() async throws {
        #expect(try await api(.json(#"{"items": [{"name": "n"}]}"#)).named() == "n")
        #expect(try await api(.json(#"{"items": [{}]}"#)).maybeNamed() == nil)
        #expect(try await api(.json(#"{"items": []}"#)).maybeNamed() == nil)
        let error = await #expect(throws: NetworkClientError.self) { try await api(.json(#"{"items": []}"#)).named() }
        #expect(error?.code == .decodingFailed)
    }

    @Test func theKeyPathOfATypeIsReplacedOrUndoneByAFunction() async throws {
        let transport = ScriptedTransport(.json(#"{"data": 1, "more": {"count": 2}}"#))
        let api = EnvelopesAPI(Provider(baseURL: "https://api.example", transport: transport))
        #expect(try await api.inside() == 1)
        #expect(try await api.elsewhere() == 2)
        #expect(try await api.whole()["data"] == 1)
    }

    @Test func aKeyPathLeadsThroughADecoderThatHasOneForAnotherType() async throws {
        var decoder = DynamicContentTypeDecoder()
        decoder.register(JSONKeyPathDecoder("token"), for: "application/vnd.token+json")
        let transport = ScriptedTransport(
            .json(#"{"items": [{"name": "Ada"}]}"#),
            .status(200, fields: [.contentType: "image/x"], body: Data(#"{"items": [{"name": "Ada"}]}"#.utf8)))
        let api = AccountsAPI(
            Provider(baseURL: "https://api.example", transport: transport) { $0.defaultDecoder = decoder })
        #expect(try await api.named() == "Ada")
        let error = await #expect(throws: NetworkClientError.self) { try await api.named() }
        #expect(error?.code == .unacceptableContentType)
    }

    // MARK: Errors

    @Test func aFailuresBodyIsThrownAsItsModel() async throws {
        let error = await #expect(throws: Problem.self) {
            try await api(.json(#"{"message": "m"}"#, status: 422)).nothing()
        }
        #expect(error?.message == "m")
        #expect(error?.failure?.response?.status.code == 422)
        #expect(error?.failure?.exchange?.attempts.count == 1)
        await #expect(throws: PlainProblem(message: "m")) {
            try await api(.json(#"{"message": "m"}"#, status: 500)).plainProblem()
        }
    }

    @Test func aKeyPathIsForSuccesses() async throws {
        let error = await #expect(throws: Problem.self) {
            _ = try await api(.json(#"{"message": "m"}"#, status: 404)).named()
        }
        #expect(try error?.failure?.decode(PlainProblem.self) == PlainProblem(message: "m"))
        await #expect(throws: Problem.self) { _ = try await api(.json(#"{"message": "m"}"#, status: 404)).tuple() }
    }

    @Test func theClientsOwnErrorIsReplacedByNoModel() async throws {
        let error = await #expect(throws: NetworkClientError.self) {
            _ = try await api(.json(#"{"message": "m"}"#, status: 422)).typedClient()
        }
        #expect(error?.code == .unacceptableStatus)
        #expect(error?.response?.status.code == 422)
    }

    @Test func aBodyThatIsNoModelLeavesTheError() async throws {
        for reply in [ScriptedReply.status(500), .text("oops", status: 500), .json("{}", status: 500)] {
            let error = await #expect(throws: NetworkClientError.self) { try await api(reply).nothing() }
            #expect(error?.code == .unacceptableStatus)
        }
        let error = await #expect(throws: NetworkClientError.self) { try await api(.failure(.cannotConnect)).nothing() }
        #expect(error?.code == .cannotConnect)
    }

    @Test func typedErrorsAreMadeFromAnyFailure() async throws {
        await #expect(throws: AccountsError.status(404)) { try await api(.status(404)).typed() }
        await #expect(throws: AccountsError.other) { try await api(.failure(.cannotConnect)).typed() }
        await #expect(throws: AccountsError.other) { try await api(.failure(CancellationError())).typed() }
        do {
            _ = try await api(.failure(CancellationError())).typedClient()
            Issue.record("nothing was thrown")
        } catch {
            #expect(error.code == .cancelled)
        }
        struct Mine: Error {}
        do {
            _ = try await api(.failure(Mine())).typedClient()
            Issue.record("nothing was thrown")
        } catch {
            #expect(error.code == .foreign)
            #expect(error.cause is Mine)
        }
    }
}
