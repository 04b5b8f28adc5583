// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataCore
import StrataEncoding
import StrataTesting
import Synchronization
import TestSupport
import Testing

struct NetworkConfigurationTests {
    private struct Marking: RequestBodyEncoder, ResponseBodyDecoder {
        var mark: String
        let acceptedContentTypes = ["a/b"]

        func encodeBody<Model: Encodable>(_ model: Model) throws -> EncodedBody {
            EncodedBody(.data(Data(mark.utf8)), contentType: "text/\(mark)")
        }

        func decode<Model: Decodable>(_ type: Model.Type, from data: Data, response: HTTPResponse) throws -> Model {
            guard let model = mark as? Model else { throw NetworkClientError(.foreign, "no text") }
            return model
        }
    }

    @Test func encoderAndDecoderAreTheDefaultOnes() {
        var configuration = NetworkConfiguration(transport: ScriptedTransport())
        configuration.encoder = Marking(mark: "e")
        configuration.decoder = Marking(mark: "d")
        #expect((configuration.defaultEncoder as? Marking)?.mark == "e")
        #expect((configuration.defaultDecoder as? Marking)?.mark == "d")
        configuration.defaultEncoder = Marking(mark: "f")
        configuration.defaultDecoder = Marking(mark: "g")
        #expect((configuration.encoder as? Marking)?.mark == "f" && (configuration.decoder as? Marking)?.mark == "g")
        #expect(configuration.userAgent == "Strata/\(StrataVersion.current)")
    }

    @Test(arguments: [
        ("https://u:p@A.example:443/x?q", "https://a.example"), ("http://h:8080", "http://h:8080"), ("h/x", "://"),
        ("ftp://h", "://"),
    ])
    func theOriginOfTheBaseURLIsTheClientsOwn(base: String, origin: String) {
        let configuration = NetworkConfiguration(baseURL: base, transport: ScriptedTransport())
        #expect(configuration.baseOrigin?.description == origin)
        #expect(((try? configuration.base) != nil) == (origin != "://"))
        var other = NetworkConfiguration(transport: ScriptedTransport())
        #expect(other.baseOrigin == nil && "\(other)" == "no base URL")
        other.baseURL = URL(string: base)
        #expect(other.baseOrigin == configuration.baseOrigin)
        other.baseURL = nil
        #expect(other.baseOrigin == nil)
    }

    @Test func aBodyIsSentAsWhatItIs() throws {
        let encoder = Marking(mark: "e")
        let folder = try TemporaryFolder()
        try Data("<p>".utf8).write(to: folder["a.HTML"])
        let file = try encoder.body(of: folder["a.HTML"])
        #expect(file.contentType == "text/html" && file.body.length == 3)
        try Data("x".utf8).write(to: folder["a.unknown"])
        #expect(try encoder.body(of: folder["a.unknown"]).contentType == "application/octet-stream")
        let url = try #require(URL(string: "https://h/"))
        #expect(try encoder.body(of: url).contentType == "text/e")
        #expect(try encoder.body(of: 5).body.data == Data("e".utf8))
        let whole = try encoder.body(of: RequestBody.data(Data("w".utf8)))
        #expect(whole.body.data == Data("w".utf8) && whole.contentType == nil)
        #expect(throws: NetworkClientError.self) { try encoder.body(of: folder["none"]) }
    }

    @Test(arguments: [
        ("a.json", "application/json"), ("a.tar.gz", "application/gzip"), ("A.JPEG", "image/jpeg"), ("json", nil),
        ("a.", nil), (".html", "text/html"), ("a.b.unknown", nil), ("", nil),
    ])
    func aFilesTypeIsThatOfItsExtension(name: String, type: String?) {
        #expect(FileMediaType.known(forFile: name) == type)
        #expect(FileMediaType.name(forFile: name) == type ?? "application/octet-stream")
    }

    /// Without a base URL a client's own server is the one where the call begins, unless a link led there.
    @Test(arguments: [false, true]) func whereACallBeginsIsHomeUnlessALinkLedThere(isLedByLink: Bool) async throws {
        let isAtHome = Mutex<[Bool]>([])
        let layer = Around { request, next in
            isAtHome.withLock { $0.append(request.isAtHome) }
            return try await next(request)
        }
        let transport = ScriptedTransport(.redirect(to: "https://b.example/"), .status(200))
        let client = makeClient(transport, baseURL: "", middleware: [RedirectMiddleware(), layer])
        var request = try TransportRequest(url: "https://a.example/")
        request.options.isLedByLink = isLedByLink
        _ = try await client.execute(request)
        #expect(isAtHome.withLock { $0 } == [!isLedByLink, false])
    }

    // MARK: Bodies that have arrived

    private func response(_ text: String, _ status: HTTPResponse.Status = .ok) async throws -> NetworkResponse<Data> {
        let client = makeClient(ScriptedTransport(.status(status.code, body: Data(text.utf8)))) {
            $0.options.acceptableStatus = .any
        }
        return try await client.run(NetworkRequest<VoidRequest, Data>(method: .get))
    }

    @Test func aBodyThatHasArrivedIsReadByTheDecoderAlone() async throws {
        let failures = FailureLog()
        let client = makeClient(ScriptedTransport()) { $0.onDecodingFailure = { failures.add($0) } }
        let json = JSONDecoder()
        let some = try await response(#"{"id":1,"title":"t"}"#)
        #expect(try client.decodeValue(Post.self, in: some, decoder: json) == Post(id: 1, title: "t"))
        #expect(try client.decodeValue(Post?.self, in: some, decoder: json) == Post(id: 1, title: "t"))
        #expect(try client.decodeValue(String.self, in: some, decoder: Marking(mark: "m")) == "m")
        let empty = try await response("")
        #expect(try client.decodeValue(Post?.self, in: empty, decoder: json) == nil)
        #expect(try client.decodeValue(VoidResponse?.self, in: empty, decoder: json) == nil)
        _ = try client.decodeValue(VoidResponse.self, in: some, decoder: json)
        #expect(failures.all.isEmpty)
        let error = #expect(throws: NetworkClientError.self) {
            try client.decodeValue(Int.self, in: some, decoder: json)
        }
        #expect(error?.code == .decodingFailed && error?.body == some.value && error?.response == some.response)
        #expect(error?.message.hasPrefix("the body could not be decoded as Int") == true)
        #expect(failures.all == [error?.message])
    }

    @Test func aValueOfAnotherTypeIsAnInternalFailure() {
        let error = #expect(throws: NetworkClientError.self) { () throws -> Int in try ModelDecoding.model("text") }
        #expect(error?.code == .internalFailure && error?.message == "String is no Int")
        #expect(throws: Never.self) { () throws -> Int in try ModelDecoding.model(5) }
    }

    @Test(
        arguments: [
            (nil, nil), ("a/b", nil), ("A/B; x", nil), ("text/html; charset=x", "text/html"), ("nonsense", nil),
        ] as [(String?, String?)])
    func aTypeThatTheDecoderDoesNotAskForIsNamed(contentType: String?, expected: String?) {
        var head = HTTPResponse(status: .ok)
        head.headerFields[.contentType] = contentType
        #expect(Marking(mark: "m").unreadableType(of: head) == expected)
        #expect(Marking(mark: "m").acceptedContentTypes(for: Post.self) == ["a/b"])
        for type in [VoidResponse.self, VoidResponse?.self, Data.self, Data?.self, String.self, String?.self]
            as [Any.Type]
        {
            func accepted<Model>(_ type: Model.Type) -> [String] { Marking(mark: "m").acceptedContentTypes(for: type) }
            #expect(_openExistential(type, do: accepted).isEmpty, "\(type)")
        }
    }
}

/// The messages of failures.
private final class FailureLog: Sendable {
    private let messages = Mutex<[String]>([])
    var all: [String] { messages.withLock { $0 } }
    func add(_ error: NetworkClientError) { messages.withLock { $0.append(error.message) } }
}
