// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataCore
import StrataTesting

/// What a proxy that opens no tunnel answers to CONNECT, made of a seed.
///
/// It does not reset the connection: libcurl tells of that as of any other connection's (`connectionLost`), the native transport as of a
/// proxy that fails (`proxyFailed`).
struct RandomRefusal: Sendable {
    private enum Kind {
        case status(Int)
        /// The answer is cut off, or there is none.
        case cutOff(at: Double)
        case noHTTP
        /// A tunnel that leads to no TLS.
        case noTLS
        /// And one that ends.
        case closed
    }

    private enum Framing { case none, length, chunked, untilClose }

    private let number: Int
    private let kind: Kind
    private let framing: Framing
    private let interim: Bool
    private let content: Data
    private let fields: [String]

    init(_ number: Int, seed: UInt64) {
        self.number = number
        var random = SeededGenerator(seed: seed &* 1_000_003 &+ UInt64(number))
        let codes = [301, 400, 401, 403, 404, 405, 407, 429, 500, 502, 503, 504]
        kind =
            switch Int.random(in: 0..<100, using: &random) {
            case 0..<15: .cutOff(at: .random(in: 0..<1, using: &random))
            case 15..<25: .noHTTP
            case 25..<30: .noTLS
            case 30..<35: .closed
            default: .status(codes.randomElement(using: &random) ?? 403)
            }
        framing = [.none, .length, .chunked, .untilClose].randomElement(using: &random) ?? .none
        interim = random.happens(0.1)
        content = random.bytes(random.size(most: 20_000))
        let all = ["Proxy-Authenticate: Basic realm=\"r\"", "Via: 1.1 proxy", "Retry-After: 5", "X-Empty:"]
        fields = all.filter { _ in random.happens(0.3) }
    }

    func request(_ configure: (inout RequestOptions) -> Void) throws -> TransportRequest {
        var options = RequestOptions()
        options.timeouts = Timeouts(connect: .seconds(60), idle: .seconds(60))
        configure(&options)
        return try TransportRequest(url: "https://n\(number).example/", options: options)
    }

    var script: RawScript {
        switch kind {
        case .status(let code): [.send(answer(code)), .close]
        case .cutOff(let place):
            [.send(Array(answer(502).prefix(min(head(502).count - 3, Int(Double(head(502).count) * place))))), .close]
        case .noHTTP: [.send("SSH-2.0-OpenSSH_9.2\r\n"), .close]
        case .noTLS:
            // Not before the client has begun with TLS: the native transport takes it for the proxy's then (`proxyFailed`), and libcurl
            // for the server's.
            [
                .send(head(200)), .readBytes(5),
                .send("HTTP/1.1 400 Bad Request\r\n\r\nThis is no TLS, is it?"), .readUntilClosed,
            ]
        case .closed: [.send(head(200)), .close]
        }
    }

    private func head(_ code: Int) -> [UInt8] {
        // libcurl takes one before a 200 for a refusal.
        var lines: [String] = interim && code != 200 ? ["HTTP/1.1 103 Wait", ""] : []
        lines.append("HTTP/1.1 \(code) Reason")
        lines += fields
        switch code == 200 ? .none : framing {
        case .none: lines.append("Content-Length: 0")
        case .length: lines.append("Content-Length: \(content.count)")
        case .chunked: lines.append("Transfer-Encoding: chunked")
        case .untilClose: break
        }
        return Array((lines + ["", ""]).joined(separator: "\r\n").utf8)
    }

    private func answer(_ code: Int) -> [UInt8] {
        switch framing {
        case .none: head(code)
        case .length, .untilClose: head(code) + content
        case .chunked:
            head(code)
                + (content.isEmpty ? [] : Array("\(String(content.count, radix: 16))\r\n".utf8) + content + [13, 10])
                + Array("0\r\n\r\n".utf8)
        }
    }
}

extension RandomRefusal: CustomStringConvertible {
    var description: String { "\(kind), \(framing), \(content.count) bytes\(interim ? ", interim" : ""), \(fields)" }
}
