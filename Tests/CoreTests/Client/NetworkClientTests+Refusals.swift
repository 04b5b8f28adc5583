// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataCore
import StrataEncoding
import StrataTesting
import Synchronization
import TestSupport
import Testing

extension NetworkClientTests {
    @Test(arguments: ["a\r\nX-Evil: 1", "a\nb", "a\rb", "a\0b", "a\u{1}b", "\u{1b}[2J", "a\u{7f}"])
    func refusesControlCharactersInFieldValues(value: String) async throws {
        let transport = ScriptedTransport(.status(200))
        let client = makeClient(transport)
        await #expect {
            _ = try await client.run(
                NetworkRequest<VoidRequest, VoidResponse>(method: .get, additionalHeaders: ["X-Value": value]))
        } throws: { error in
            isFailure(error, .invalidRequest) && !"\(error)".contains("Evil")
        }
        #expect(transport.requests.isEmpty)
    }

    @Test(arguments: [0x01, 0x08, 0x1b, 0x7f] as [UInt8])
    func refusesControlCharactersHoweverTheyCameThere(byte: UInt8) async throws {
        let transport = ScriptedTransport(.status(200))
        let name = try #require(HTTPField.Name("X-Value"))
        func send(_ value: [UInt8]) async throws {
            var request = try TransportRequest(url: "https://h/")
            request.head.headerFields.append(HTTPField(name: name, lenientValue: value))
            _ = try await makeClient(transport).execute(request)
        }
        await #expect {
            try await send([0x61, byte, 0x62])
        } throws: {
            isFailure($0, .invalidRequest)
        }
        #expect(transport.requests.isEmpty)
        try await send([0x61, 0x09, 0xe9])
        #expect(transport.requests.count == 1)
    }

    @Test(arguments: ["text/plain\r\nX-Evil: 1", "text/plain\0", "text/plain\nx"])
    func refusesControlCharactersInMediaTypes(type: String) async throws {
        struct Accepting: ResponseBodyDecoder {
            let acceptedContentTypes: [String]
            func decode<Model: Decodable>(
                _ type: Model.Type, from data: Data, response: HTTPResponse
            ) throws -> Model { try JSONDecoder().decode(type, from: data) }
        }
        let transport = ScriptedTransport(.json("[]"))
        let client = makeClient(transport)
        let body = EncodedBody(.data(Data("x".utf8)), contentType: type)
        await #expect {
            _ = try await client.run(NetworkRequest<EncodedBody, VoidResponse>(method: .post, body: body))
        } throws: {
            isFailure($0, .invalidRequest)
        }
        await #expect {
            _ = try await client.run(
                NetworkRequest<VoidRequest, [Post]>(method: .get, decoder: Accepting(acceptedContentTypes: [type])))
        } throws: {
            isFailure($0, .invalidRequest)
        }
        #expect(transport.requests.isEmpty)
    }

    @Test func refusesALengthThatIsNegative() async {
        let transport = ScriptedTransport(.status(200))
        let body = RequestBody.stream(length: -1, isReplayable: true) { PiecesSource([]) }
        await #expect {
            _ = try await makeClient(transport).run(
                NetworkRequest<RequestBody, VoidResponse>(method: .post, body: body))
        } throws: {
            isFailure($0, .uploadFailed)
        }
        #expect(transport.requests.isEmpty)
    }

    @Test func aTabMayStandInAFieldValue() async throws {
        let transport = ScriptedTransport(.status(200))
        _ = try await makeClient(transport).run(
            NetworkRequest<VoidRequest, VoidResponse>(method: .get, additionalHeaders: ["X-Value": "a\tb"]))
        #expect(transport.requests[0]["x-value"] == "a\tb")
    }

    @Test(arguments: ["", "a b", "a:b", "ü", "a\r\n"])
    func refusesFieldNamesThatAreNoTokens(name: String) async {
        let client = makeClient(ScriptedTransport(.status(200)))
        await #expect {
            _ = try await client.run(
                NetworkRequest<VoidRequest, VoidResponse>(method: .get, additionalHeaders: [name: "x"]))
        } throws: {
            isFailure($0, .invalidRequest)
        }
    }

    /// Some would not only be malformed: put together, `https://h` and `@other/` lead to another host.
    @Test(arguments: [
        ("h", "/a b"), ("h", "/a\r\nb"), ("h", ""), ("h", "/ü"), ("h", "/a#b"), ("h", "a"), ("h", "@other/"),
        ("h", ".other/"), ("h", ":81/"), ("other@h", "/"), ("other/h", "/"), ("other?h", "/"), ("other#h", "/"),
        ("other\\h", "/"), ("", "/"), ("me:s3cret@h", "/"), ("me:s3cret", "@h/"), ("h:65536", "/"), ("h:99999", "/"),
        ("h:8a", "/"), ("h:80:80", "/"), (":80", "/"), ("[::1", "/"), ("[::g]", "/"), ("[::1]80", "/"),
    ])
    func refusesTargetsThatMayNotGoOnTheWire(authority: String, path: String) async throws {
        let transport = ScriptedTransport(.status(200))
        let client = makeClient(transport)
        let head = HTTPRequest(method: .get, scheme: "https", authority: authority, path: path)
        await #expect {
            _ = try await client.execute(TransportRequest(head: head))
        } throws: {
            isFailure($0, .malformedURL) && ($0 as? NetworkClientError)?.exchange?.attempts.count == 1
                && !"\($0)".contains("s3cret")
        }
        #expect(transport.requests.isEmpty)
    }

    @Test func failsClearlyWithoutABaseURL() async {
        let client = makeClient(ScriptedTransport(.status(200))) { $0.baseURL = nil }
        await #expect {
            _ = try await client.run(NetworkRequest<VoidRequest, VoidResponse>(path: "x", method: .get))
        } throws: {
            isFailure($0, .malformedURL)
        }
    }

    @Test func saysThatTheBodyCouldNotBeEncoded() async {
        struct Unencodable: Encodable {
            func encode(to encoder: any Encoder) throws {
                throw EncodingError.invalidValue(0, .init(codingPath: [], debugDescription: ""))
            }
        }
        let client = makeClient(ScriptedTransport(.status(200)))
        await #expect {
            _ = try await client.run(NetworkRequest<Unencodable, VoidResponse>(method: .post, body: Unencodable()))
        } throws: {
            isFailure($0, .encodingFailed) && ($0 as? NetworkClientError)?.cause is EncodingError
        }
    }
}
