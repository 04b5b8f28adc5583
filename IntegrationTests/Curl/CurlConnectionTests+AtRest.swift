// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataCore
import StrataCurl
import StrataTesting
import TestSupport
import Testing

extension CurlConnectionTests {
    // MARK: - Connections at rest

    private static let late408 = "HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
    private static let unasked: [[RawScript.Step]] = [
        [.send("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil")], [.send(late408), .closeOutput],
        [.drip(late408, size: 10, every: .milliseconds(5))], [.send("this is not HTTP")],
    ]

    @Test(arguments: unasked, [HTTPRequest.Method.get, .post])
    func usesNoConnectionOnWhichSomethingCameUnasked(
        _ late: [RawScript.Step], _ method: HTTPRequest.Method
    ) async throws {
        let first: [RawScript.Step] = [.readRequest, .respond(body: "one"), .wait(.milliseconds(50))]
        let server = try RawServer.start(scripts: [RawScript(first + late + [.readToEnd]), Self.well])
        defer { server.stop() }
        try await withCurl { transport in
            expectEqual(try await transport.text(.get, server.url), "one")
            // On Linux it is closed as soon as something comes, elsewhere when it would be used again.
            _ = try? await server.wait { $0.isClosedByPeer }
            expectEqual(try await transport.text(method, server.url), "two")
        }
        #expect(server.log.requests.map(\.method) == ["GET", method.rawValue])
    }

    /// A body that waits for its reader ends without libcurl's looking at the socket again.
    @Test func noticesThatAlsoAfterABodyThatWasReadInSteps() async throws {
        let answer = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\none\r\n0\r\n\r\n"
        let server = try RawServer.start(scripts: [
            [.readRequest, .send(answer), .wait(.milliseconds(50)), .send(Self.late408), .readToEnd], Self.well,
        ])
        defer { server.stop() }
        try await withCurl({ $0.highWaterMark = 1 }) { transport in
            expectEqual(try await transport.text(.get, server.url), "one")
            _ = try? await server.wait { $0.isClosedByPeer }
            expectEqual(try await transport.text(.post, server.url), "two")
        }
        #expect(server.log.requests.map(\.method) == ["GET", "POST"])
    }

    /// A connection that libcurl last wanted to write to is listened to as well.
    @Test func noticesThatAlsoAfterAnAnswerThatCameDuringTheUpload() async throws {
        let server = try RawServer.start(scripts: [
            [
                .readHead, .respond(body: "one"), .wait(.milliseconds(20)), .readBody, .wait(.milliseconds(50)),
                .send(Self.late408), .readToEnd,
            ], Self.well,
        ])
        defer { server.stop() }
        try await withCurl { transport in
            let body = RequestBody.data(Data(count: 8 << 20))
            expectEqual(try await transport.text(.put, server.url, body: body), "one")
            _ = try? await server.wait { $0.isClosedByPeer }
            expectEqual(try await transport.text(.post, server.url), "two")
        }
        #expect(server.log.requests.map(\.method) == ["PUT", "POST"])
    }

    /// libcurl reads a body to its announced length, and leaves there what follows.
    @Test(arguments: [20_000, 300_000])
    func usesNoConnectionOnWhichMoreCameThanTheBody(_ size: Int) async throws {
        let body = String(repeating: "b", count: size)
        let more = body + "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil"
        let head = "HTTP/1.1 200 OK\r\nContent-Length: \(size)\r\n\r\n"
        try await RawServer.withServer(script: .forever(.readRequest, .send(head), .send(more))) { server in
            try await withCurl { transport in
                for _ in 0..<10 { expectEqual(try await transport.text(.get, server.url), body) }
            }
        }
    }

    /// What libcurl has read with the answer is lost; what it has not is a whole response.
    @Test(arguments: [
        "Content-Length: 5\r\n\r\nhello", "Content-Length: 0\r\n\r\n",
        "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
    ])
    func usesNoConnectionOnWhichMoreCameThanLibcurlReadsAtOnce(_ rest: String) async throws {
        let size = 16 * 1024
        let evil = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil"
        let answer = "HTTP/1.1 200 OK\r\n" + rest
        let padding = String(repeating: "x", count: size - answer.utf8.count)
        let padded = "HTTP/1.1 200 OK\r\nX: \(padding.dropLast(5))\r\n\(rest)"
        let behind = answer + padding
        for answer in [answer, padded, behind] {
            try await RawServer.withServer(script: .forever(.readRequest, .send(answer + evil))) { server in
                try await withCurl({ $0.receiveBuffer = size }) { transport in
                    for _ in 0..<10 {
                        expectEqual(try await transport.text(.get, server.url), rest.contains("hello") ? "hello" : "")
                    }
                }
            }
        }
    }

    /// RFC 9112 §6.1, §6.3: what stands between here and the server may have seen the end elsewhere.
    @Test(arguments: ["1.0 200 OK\r\nConnection: keep-alive", "1.1 200 OK\r\nContent-Length: 3"])
    func usesNoConnectionWhoseAnswerHadADoubtfulEnd(_ head: String) async throws {
        let answer = "HTTP/\(head)\r\nTransfer-Encoding: chunked\r\n\r\n3\r\none\r\n0\r\n\r\n"
        try await RawServer.withServer(script: .forever(.readRequest, .send(answer))) { server in
            try await withCurl { transport in
                for _ in 0..<2 { expectEqual(try await transport.text(.get, server.url), "one") }
            }
            #expect(server.log.requests.map(\.connection) == [1, 2])
        }
    }

    @Test func aDoubtfulEndIsNoReasonToCloseOtherConnections() async throws {
        let answer =
            "HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n3\r\none\r\n0\r\n\r\n"
        try await RawServer.withServer(script: .forever(.readRequest, .send(answer))) { doubtful in
            try await RawServer.withServer(script: .forever(.readRequest, .respond(body: "two"))) { server in
                try await withCurl { transport in
                    expectEqual(try await transport.text(.get, doubtful.url), "one")
                    for _ in 0..<3 { expectEqual(try await transport.text(.get, server.url), "two") }
                }
                #expect(server.log.requests.map(\.connection) == [1, 1, 1])
            }
        }
    }

    @Test func closesAConnectionWhoseLastRequestSaysSo() async throws {
        try await RawServer.withServer(script: .forever(.readRequest, .respond(body: "ok"))) { server in
            try await withCurl { transport in
                for value in ["close", "x-other, Close", "keep-alive", "keep-alive"] {
                    expectEqual(try await transport.text(.get, server.url, [.connection: value]), "ok")
                }
            }
            #expect(server.log.requests.map(\.connection) == [1, 2, 3, 3])
        }
    }

    private func peerPort(_ descriptor: Int32) -> Int? {
        var address = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let status = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getpeername(descriptor, $0, &length) }
        }
        guard status == 0, address.sin_family == sa_family_t(AF_INET) else { return nil }
        return Int(UInt16(bigEndian: address.sin_port))
    }

    @Test func keepsItsConnectionsFromOtherPrograms() async throws {
        try await RawServer.withServer(script: .forever(.readRequest, .respond(body: "hello"))) { server in
            try await withCurl { transport in
                expectEqual(try await transport.text(.get, server.url), "hello")
                let own = (3..<65_536).filter { peerPort(Int32($0)) == server.port }
                #expect(!own.isEmpty)
                #expect(own.allSatisfy { fcntl(Int32($0), F_GETFD) & FD_CLOEXEC != 0 })
            }
        }
    }

    @Test func closesIdleConnectionsBeforeTheDescriptorsRunOut() async throws {
        let free = dup(0)
        close(free)
        var saved = rlimit()
        getrlimit(OpenFiles.resource, &saved)
        var few = saved
        few.rlim_cur = rlim_t(free) + 240
        setrlimit(OpenFiles.resource, &few)
        defer { setrlimit(OpenFiles.resource, &saved) }
        try await RawServer.withServer(script: .forever(.readRequest, .respond(body: "hello"))) { server in
            let names = (0..<300).map { "host-\($0).example" }
            let overrides = names.map {
                CurlTransport.AddressOverride(host: $0, port: server.port, addresses: ["127.0.0.1"])
            }
            try await withCurl({ $0.addressOverrides = overrides }) { transport in
                for name in names {
                    expectEqual(try await transport.text(.get, "http://\(name):\(server.port)/"), "hello")
                }
            }
            #expect(server.log.connectionCount == names.count)
        }
    }

    @Test func needsNoDescriptorsBeforeItsFirstRequest() async throws {
        var saved = rlimit()
        getrlimit(OpenFiles.resource, &saved)
        var none = saved
        none.rlim_cur = 0
        try await RawServer.withServer(script: [.readRequest, .respond(body: "hello")]) { server in
            setrlimit(OpenFiles.resource, &none)
            defer { setrlimit(OpenFiles.resource, &saved) }
            try await withCurl { transport in
                await #expect { try await transport.text(.get, server.url) } throws: { $0.stage == .internalFailure }
                setrlimit(OpenFiles.resource, &saved)
                expectEqual(try await transport.text(.get, server.url), "hello")
            }
        }
    }

    @Test func keepsToTheLimitOfConnections() async throws {
        try await RawServer.withServer(script: .forever(.readRequest, .wait(.milliseconds(5)), .respond(body: "hello")))
        {
            server in
            try await withCurl({ $0.maximumConnectionsPerHost = 3 }) { transport in
                try await withThrowingTaskGroup(of: String.self) { group in
                    for _ in 0..<40 { group.addTask { try await transport.text(.get, server.url) } }
                    for try await text in group { #expect(text == "hello") }
                }
            }
            #expect(server.log.connectionCount <= 3)
        }
    }

    @Test func goesWhereAnOverrideLeads() async throws {
        try await RawServer.withServer(script: [.readRequest, .respond(body: "hello")]) { server in
            let override = CurlTransport.AddressOverride(
                host: "strata.example", port: server.port, addresses: ["127.0.0.1"])
            try await withCurl({ $0.addressOverrides = [override] }) { transport in
                expectEqual(try await transport.text(.get, "http://strata.example:\(server.port)/"), "hello")
            }
            #expect(server.log.requests.first?.values(of: "host") == ["strata.example:\(server.port)"])
        }
    }

    @Test func talksToAUnixSocket() async throws {
        let path = "/tmp/strata-\(UUID().uuidString.prefix(8)).sock"
        let server = try NumberServer(unixSocketPath: path)
        defer { server.stop() }
        try await withCurl({ $0.unixSocketPath = path }) { transport in
            expectEqual(try await transport.text(.get, "http://localhost/number/7"), "7")
        }
    }

    /// Several times: whether an answer comes while its request is written differs from one to the next.
    @Test(arguments: 0..<4) func connectionsOverAUnixSocketAreNotTakenForEachOther(round: Int) async throws {
        let path = "/tmp/strata-\(UUID().uuidString.prefix(8)).sock"
        let server = try NumberServer(unixSocketPath: path)
        defer { server.stop() }
        try await withCurl({ $0.unixSocketPath = path }) { transport in
            try await openTwoConnections(transport, to: "http://localhost")
            let strayed = Task { try await transport.text(.get, "http://localhost/stray/1") }
            while !server.hasStrayed { try await Task.sleep(for: .milliseconds(10)) }
            try await Task.sleep(for: .milliseconds(200))
            expectEqual(try await transport.text(.get, "http://localhost/number/7"), "7")
            server.release()
            expectEqual(try await strayed.value, "1")

            expectEqual(try await transport.text(.get, "http://localhost/last/2"), "2")
            try await Task.sleep(for: .milliseconds(200))
            let error = await #expect(throws: NetworkClientError.self) {
                try await transport.text(.post, "http://localhost/drop/3")
            }
            #expect(error?.code == .connectionLost)
            #expect(server.drops == 1)
        }
    }

    @Test func aRequestFindsANewConnectionWhenAllHaveEnded() async throws {
        let server = try NumberServer()
        defer { server.stop() }
        try await withCurl { transport in
            for method in [HTTPRequest.Method.post, .get] {
                try await openTwoConnections(transport, to: server.url)
                server.endConnections()
                try await Task.sleep(for: .milliseconds(200))
                expectEqual(try await transport.text(method, "\(server.url)/number/7"), "7")
            }
        }
    }

    private func openTwoConnections(_ transport: CurlTransport, to url: String) async throws {
        async let one = transport.text(.get, "\(url)/pair/1")
        async let other = transport.text(.get, "\(url)/pair/2")
        expectEqual(try await [one, other], ["1", "2"])
    }

    @Test func failsToConnectToASocketWhosePathIsTooLong() async throws {
        try await withCurl({ $0.unixSocketPath = "/tmp/" + String(repeating: "s", count: 200) }) { transport in
            let error = await #expect(throws: NetworkClientError.self) {
                try await transport.text(.get, "http://localhost/")
            }
            #expect(error?.code == .cannotConnect)
        }
    }
}
