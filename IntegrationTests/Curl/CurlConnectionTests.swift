// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataCore
import StrataCurl
import StrataTesting
import TestSupport
import Testing

/// Connecting, and what happens to connections.
struct CurlConnectionTests {
    /// libcurl closes a socket that is still connecting without a word, and the next one has the same number.
    @Test func hearsOfConnectionsWhoseDescriptorsWereThoseOfAbandonedOnes() async throws {
        let server = try RawServer.unresponsive()
        defer { server.stop() }
        try await withCurl { transport in
            func texts(_ timeouts: Timeouts) async -> [String?] {
                await withTaskGroup(of: String?.self) { group in
                    for _ in 0..<8 {
                        group.addTask {
                            try? await transport.text(.get, server.url, timeouts: timeouts)
                        }
                    }
                    return await group.reduce(into: []) { $0.append($1) }
                }
            }
            #expect(await texts(Timeouts(connect: .milliseconds(50))) == Array(repeating: nil, count: 8))
            async let answers = texts(Timeouts(connect: .seconds(60), attempt: .seconds(60)))
            try await Task.sleep(for: .milliseconds(300))
            try server.beginAnswering(script: [.readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi")])
            #expect(await answers == Array(repeating: "hi", count: 8))
        }
    }

    @Test func failsWhenNobodyListens() async throws {
        let server = try RawServer.refusing()
        try await withCurl { transport in
            let error = await #expect(throws: NetworkClientError.self) {
                try await transport.text(.get, server.url + "/?token=hunter2")
            }
            #expect(error?.code == .cannotConnect)
            #expect((error?.cause as? CurlError)?.code == 7)
            #expect(error.map { "\($0)".contains("hunter2") } == false)
        }
    }

    @Test func usesAConnectionAgainAfterAnError() async throws {
        let body = String(repeating: "x", count: 200_000)
        try await RawServer.withServer(script: .forever(.readRequest, .respond(500, body: body))) { server in
            try await withCurl { transport in
                for _ in 0..<3 { expectEqual(try await transport.text(.get, server.url), body) }
            }
            #expect(server.log.connectionCount == 1)
        }
    }

    @Test func noticesAConnectionThatWasClosedMeanwhile() async throws {
        let script: RawScript = [.readRequest, .respond(body: "hello"), .close]
        try await RawServer.withServer(script: script) { server in
            try await withCurl { transport in
                expectEqual(try await transport.text(.get, server.url), "hello")
                try await server.wait(within: .seconds(30)) { $0.has(.finished, on: 1) }
                let body = RequestBody.data(Data("once".utf8))
                expectEqual(try await transport.text(.post, server.url, body: body), "hello")
            }
            #expect(server.log.requests.filter { $0.method == "POST" }.count == 1)
        }
    }

    /// The second request is read, and the connection ends without an answer.
    private static let dying: RawScript = [.readRequest, .respond(body: "one"), .readRequest, .close]
    static let well: RawScript = .forever(.readRequest, .respond(body: "two"))

    @Test(arguments: [HTTPRequest.Method.get, .put, .delete])
    func repeatsAnIdempotentRequestOnce(_ method: HTTPRequest.Method) async throws {
        let server = try RawServer.start(scripts: [Self.dying, Self.well])
        defer { server.stop() }
        let body = method == .put ? RequestBody.data(Data("again".utf8)) : .empty
        try await withCurl { transport in
            expectEqual(try await transport.text(.get, server.url), "one")
            expectEqual(try await transport.text(method, server.url, body: body), "two")
        }
        let requests = server.log.requests.dropFirst()
        #expect(requests.map(\.method) == [method.rawValue, method.rawValue])
        #expect(requests.allSatisfy { $0.body == Array((body.data ?? Data())) })
    }

    @Test(arguments: [HTTPRequest.Method.post, .patch], [0, 5, 100_000])
    func doesNotRepeatWhatMayHaveBeenActedOn(_ method: HTTPRequest.Method, _ size: Int) async throws {
        let server = try RawServer.start(scripts: [Self.dying, Self.well])
        defer { server.stop() }
        try await withCurl { transport in
            expectEqual(try await transport.text(.get, server.url), "one")
            await #expect {
                try await transport.text(method, server.url, body: .data(Data(count: size)))
            } throws: {
                $0.stage == .connectionLost
            }
        }
        #expect(server.log.requests.map(\.method) == ["GET", method.rawValue])
    }

    @Test func doesNotRepeatAStream() async throws {
        let server = try RawServer.start(scripts: [Self.dying, Self.well])
        defer { server.stop() }
        try await withCurl { transport in
            expectEqual(try await transport.text(.get, server.url), "one")
            let stream = pieces([Data("once".utf8)])()
            await #expect {
                try await transport.text(.put, server.url, body: .stream(from: stream))
            } throws: {
                $0.stage == .connectionLost
            }
        }
        #expect(server.log.requests.count == 2)
    }

    @Test func repeatsFilesAndStreamsThatCanBeMadeAnew() async throws {
        let content = Data("once".utf8)
        let folder = try TemporaryFolder()
        try content.write(to: folder["body"])
        let make = pieces([content])
        for body in try [RequestBody.file(folder["body"]), .stream(make: make), .stream(length: 4, make: make)] {
            let server = try RawServer.start(scripts: [Self.dying, Self.well])
            defer { server.stop() }
            try await withCurl { transport in
                expectEqual(try await transport.text(.get, server.url), "one")
                expectEqual(try await transport.text(.put, server.url, body: body), "two")
            }
            #expect(server.log.requests.dropFirst().map { Data($0.body) } == [content, content])
        }
    }

    @Test func repeatsALargeBodyFromItsBeginning() async throws {
        let server = try RawServer.start(scripts: [Self.dying, Self.well])
        defer { server.stop() }
        let body = Data((0..<100_000).map { UInt8(truncatingIfNeeded: $0) })
        try await withCurl { transport in
            expectEqual(try await transport.text(.get, server.url), "one")
            expectEqual(try await transport.text(.put, server.url, body: .data(body)), "two")
        }
        #expect(server.log.requests.dropFirst().map { Data($0.body) } == [body, body])
    }

    @Test func givesUpWhenEveryConnectionDies() async throws {
        let script: RawScript = [.readRequest, .respond(body: "one"), .readRequest, .close]
        let server = try RawServer.start(scripts: [script, [.readRequest, .close]])
        defer { server.stop() }
        try await withCurl { transport in
            expectEqual(try await transport.text(.get, server.url), "one")
            await #expect { try await transport.text(.get, server.url) } throws: { $0.stage == .connectionLost }
        }
        #expect(server.log.requests.count == 3)
    }

    /// libcurl counts under a handle what has died, and gives up at the sixth.
    @Test func repeatsARequestWhateverHappenedToEarlierOnes() async throws {
        try await RawServer.withServer(script: Self.dying) { server in
            try await withCurl { transport in
                for _ in 0..<20 { expectEqual(try await transport.text(.get, server.url), "one") }
            }
        }
    }
}
