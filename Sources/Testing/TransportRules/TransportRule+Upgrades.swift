// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import StrataCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension TransportRule {
    private static func ask(_ options: (inout RequestOptions) -> Void = { _ in }) -> RuleBench.Ask {
        RuleBench.Ask {
            $0.upgrade = "echo/1"
            options(&$0)
        }
    }

    private static let switching = "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo/1\r\n\r\n"

    private static let requests: [TransportRule] = [
        sends(
            "a request for an upgrade names the protocol", source: "RFC 9110 §7.8", needs: .upgrades, ask()
        ) { bench, request in
            try bench.expect(request.values(of: "Upgrade"), is: ["echo/1"], "Upgrade")
            let options = request.values(of: "Connection").joined(separator: ",").lowercased().split(separator: ",")
            try bench.expect(
                options.contains { $0.utf8.trimmingBlanks.elementsEqual("upgrade".utf8) }, "Connection is \(options)")
        },
        fails(
            "a 101 that nobody has asked for is an error", source: "RFC 9110 §15.2.2", needs: .upgrades,
            with: [.protocolViolation],
            [.readRequest, .send(switching + "bytes"), .hang]),
    ]

    private static let refusals: [TransportRule] = [200, 204, 302, 401, 404, 426, 503].map { status in
        TransportRule(
            "an upgrade that is answered with \(status) is an ordinary exchange", source: "RFC 9110 §7.8",
            needs: .upgrades
        ) {
            bench in
            let hasBody = status != 204
            let text =
                "HTTP/1.1 \(status) Now\r\nUpgrade: other\r\nConnection: Upgrade\r\n"
                + (hasBody ? "Content-Length: 2\r\n\r\nno" : "\r\n")
            let server = try RawServer.start(script: [
                .readRequest, .send(text), .readRequest, .respond(body: "next"), .hang,
            ])
            defer { server.stop() }
            let response = try await bench.transport.send(try bench.request(ask(), to: server))
            try bench.expect(response.head.status.code, is: status, "the status")
            try bench.expect(response.channel == nil, "there is a channel")
            let body = try await response.body.collect()
            try bench.expect(String(decoding: body, as: UTF8.self), is: hasBody ? "no" : "", "the body")
            try bench.expect(try await bench.exchange(with: server).text, is: "next", "the next answer")
        }
    }

    private static let mistakes: [TransportRule] =
        [
            ("to another protocol", "Upgrade: other\r\nConnection: Upgrade\r\n"),
            ("to another version", "Upgrade: echo/2\r\nConnection: Upgrade\r\n"),
            ("to a protocol that begins with the same letters", "Upgrade: echo/10\r\nConnection: Upgrade\r\n"),
            ("without a name", "Connection: Upgrade\r\n"),
            ("with an empty name", "Upgrade:\r\nConnection: Upgrade\r\n"),
        ].map { what, fields in
            TransportRule("a 101 \(what) is an error", source: "RFC 9110 §7.8", needs: .upgrades) { bench in
                let server = try RawServer.start(
                    script: [.readRequest, .send("HTTP/1.1 101 Switching Protocols\r\n\(fields)\r\n"), .readToEnd])
                defer { server.stop() }
                let error = try await bench.failure(ask(), with: server)
                try bench.expect(error.code, is: .protocolViolation, "the code")
                try await server.wait { $0.isClosedByPeer }
            }
        }
        + [
            fails(
                "an end behind an upgrade's interim answer is an error", source: "RFC 9112 §8", needs: .upgrades,
                ask: ask(),
                with: [.connectionLost], answer("HTTP/1.1 103 Early Hints\r\n\r\n")),
            fails(
                "an end within a 101 is an error", source: "RFC 9112 §8", needs: .upgrades, ask: ask(),
                with: [.connectionLost], answer(String(switching.dropLast(2)))),
            fails(
                "a 101 with a field line without a colon is an error", source: "RFC 9112 §5", needs: .upgrades,
                ask: ask(),
                with: [.protocolViolation], answer("HTTP/1.1 101 Switching\r\nUpgrade echo/1\r\n\r\n")),
        ]

    private static let accepted: [TransportRule] = [
        channel("a 101 comes with its head and a channel", [.send(switching), .hang]) { bench, response, _, _ in
            try bench.expect(response.head.status.code, is: 101, "the status")
            try bench.expect(response.head.headerFields[.upgrade], is: "echo/1", "Upgrade")
            try bench.expect(try await response.body.collect().count, is: 0, "the length of the body")
        },
        channel(
            "names of protocols compare without case",
            [.send("HTTP/1.1 101 S\r\nConnection: upgrade\r\nUpgrade: first, ECHO/1\r\n\r\nok"), .hang]
        ) { bench, _, channel, _ in try bench.expect(try await channel.text(2), is: "ok", "the bytes") },
        channel(
            "a 101 may come behind a 103",
            [.send("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n\(switching)ok"), .hang]
        ) {
            bench, _, channel, _ in
            try bench.expect(try await channel.text(2), is: "ok", "the bytes")
        },
        channel(
            "a 101 has no content, whatever its fields say",
            [.send("HTTP/1.1 101 S\r\nConnection: Upgrade\r\nUpgrade: echo/1\r\nContent-Length: 1\r\n\r\nok"), .hang]
        ) { bench, _, channel, _ in try bench.expect(try await channel.text(2), is: "ok", "the bytes") },
        TransportRule(
            "bytes behind a 101 are the channel's wherever they are cut", source: "RFC 9110 §7.8", needs: .upgrades
        ) { bench in
            let text = Array((switching + "first and second").utf8)
            for cut in [
                1, 20, switching.utf8.count - 2, switching.utf8.count - 1, switching.utf8.count,
                switching.utf8.count + 1, text.count - 1,
            ] {
                let server = try RawServer.start(script: [
                    .readRequest, .send(Array(text[..<cut])), .wait(.milliseconds(5)), .send(Array(text[cut...])),
                    .hang,
                ])
                defer { server.stop() }
                let channel = try await bench.open(ask(), with: server)
                try bench.expect(try await channel.text(16), is: "first and second", "the bytes, cut at \(cut)")
            }
        },
        channel("what is written comes back", [.send(switching), .echo]) { bench, _, channel, _ in
            for text in ["hello", "\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", "0\r\n\r\n", "\0"] {
                try await channel.write(Data(text.utf8))
                try bench.expect(try await channel.text(text.utf8.count), is: text, "the bytes")
            }
        },
        channel("a megabyte goes out and comes back", [.send(switching), .echo]) { bench, _, channel, _ in
            let bytes = StoredBody.bytes(1 << 20, seed: 7)
            async let written: Void = {
                for offset in stride(from: 0, to: bytes.count, by: 10_000) {
                    try await channel.write(bytes.dropFirst(offset).prefix(10_000))
                }
                try await channel.closeOutput()
            }()
            var back = Data()
            while let piece = try await channel.read() { back += piece }
            try await written
            try bench.expect(back == bytes, "\(back.count) bytes came back, or others")
        },
        TransportRule("a channel's connection serves no other call", source: "RFC 9110 §7.8", needs: .upgrades) {
            bench in
            let server = try RawServer.start(scripts: [[.readRequest, .send(switching), .echo], alive])
            defer { server.stop() }
            let channel = try await bench.open(ask(), with: server)
            try bench.expect(try await bench.exchange(with: server).text, is: "ok", "the answer to the other call")
            try await channel.write(Data("still".utf8))
            try bench.expect(try await channel.text(5), is: "still", "the bytes")
            await channel.close()
            try bench.expect(try await bench.exchange(with: server).text, is: "ok", "the answer to a later call")
            try bench.expect(server.log.connectionCount, is: 2, "the number of connections")
        },
    ]

    /// A channel to a server that has read the request and goes on with these steps.
    static func channel(
        _ name: String, source: String = "RFC 9110 §7.8", _ steps: [RawScript.Step],
        options: @escaping @Sendable (inout RequestOptions) -> Void = { _ in },
        check: @escaping @Sendable (RuleBench, TransportResponse, ByteChannel, RawServer) async throws -> Void
    ) -> TransportRule {
        TransportRule(name, source: source, needs: .upgrades) { bench in
            let server = try RawServer.start(script: RawScript([.readRequest] + steps))
            defer { server.stop() }
            let response = try await bench.transport.send(try bench.request(ask(options), to: server))
            guard let channel = response.channel else { throw RuleViolation("there is no channel") }
            try await check(bench, response, channel, server)
        }
    }

    static let upgrades: [TransportRule] = requests + refusals + mistakes + accepted
}

extension RuleBench {
    /// A channel alone, without its response.
    func open(_ ask: Ask, with server: RawServer) async throws -> ByteChannel {
        guard let channel = try await transport.send(try request(ask, to: server)).channel else {
            throw RuleViolation("there is no channel")
        }
        return channel
    }
}

extension ByteChannel {
    /// The next bytes, this many.
    func text(_ count: Int) async throws -> String {
        var bytes = Data()
        while bytes.count < count, let piece = try await read() { bytes += piece }
        return String(decoding: bytes, as: UTF8.self)
    }
}
