// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataCore
import StrataTesting

/// A request, and what a server answers to it, both made of a seed: all that framing, sizes, pauses and closes can be.
///
/// Methods are idempotent. A server that closes without a word may do so while the next request is under way, which then goes out once
/// more (RFC 9110 §9.2.2); another would fail or not by chance.
struct RandomExchange: Sendable {
    let number: Int
    let method: HTTPRequest.Method
    /// Whether the server speaks HTTP/1.0. It is another than for the rest, since libcurl sends no chunks to one that has done so.
    let isOld: Bool
    /// What the server gets, where it reads it before it answers.
    let content: Data?
    private let isStreamed: Bool
    private let isChunked: Bool
    private let expectsContinue: Bool
    private let answersEarly: Bool
    private let answer: RandomAnswer

    /// - Parameter isOld: `nil`: that, too, is random.
    init(_ number: Int, isOld chosen: Bool? = nil, seed: UInt64) {
        self.number = number
        var random = SeededGenerator(seed: seed &* 1_000_003 &+ UInt64(number))
        let isRandomlyOld = random.happens(0.3)
        isOld = chosen ?? isRandomlyOld
        method = [.get, .get, .get, .head, .put, .put, .delete, .options].randomElement(using: &random) ?? .get
        // libcurl sends no chunks with HEAD.
        let hasBody = method == .put || method != .head && random.happens(0.05)
        content = hasBody ? random.bytes(random.size(most: 200_000)) : nil
        isStreamed = random.happens(0.5)
        isChunked = !isOld && random.happens(0.5)
        expectsContinue = hasBody && random.happens(0.05)
        answersEarly = hasBody && !expectsContinue && random.happens(0.1)
        answer = RandomAnswer(to: method, isOld: isOld, isOrderly: answersEarly, &random)
    }

    func request(to url: String, _ configure: (inout RequestOptions) -> Void) throws -> TransportRequest {
        var options = RequestOptions()
        options.timeouts = Timeouts(connect: .seconds(60), idle: .seconds(60))
        configure(&options)
        if expectsContinue { options.expectContinue = .seconds(60) }
        // Else each would ask for what it can decode.
        let fields: HTTPFields = [.acceptEncoding: "identity", .userAgent: "strata-test"]
        return try TransportRequest(
            method: method, url: "\(url)/\(number)", headerFields: fields, body: body, options: options)
    }

    private var body: RequestBody {
        guard let content else { return .empty }
        guard isStreamed else { return .data(content) }
        return .stream(length: isChunked ? nil : Int64(content.count), isReplayable: true) {
            PiecesSource(content.pieces(of: 10_000))
        }
    }

    /// Of a whole answer.
    var answered: Data { answer.body }

    /// Whether a part of that is a whole body as well.
    var mayBeCutOff: Bool { answer.isEndedByClose }

    /// What the server does with a request of this number, when it has read so much of it; `nil`: it reads the body before.
    func script(for request: RawLog.Request) -> RawScript? {
        if expectsContinue {
            return RawScript([.send("HTTP/1.1 100 Continue\r\n\r\n"), .readBody] + answer.steps(seen: "continue"))
        }
        if answersEarly {
            var steps = answer.steps(seen: "early")
            // Closed with unread bytes, the connection is reset, and the answer may be lost (RFC 9112 §9.6).
            if case .close? = steps.last {
                steps.removeLast()
                steps += [.closeOutput, .readUntilClosed]
            }
            return RawScript(steps + [.readBody])
        }
        if let content, content.isEmpty { return RawScript([.readBody] + answer.steps(seen: "nothing")) }
        if content != nil, request.body.isEmpty { return nil }
        var hash: UInt32 = 2_166_136_261
        for byte in request.body { hash = (hash ^ UInt32(byte)) &* 16_777_619 }
        let framing = request.values(of: "Transfer-Encoding") + request.values(of: "Content-Length")
        return RawScript(
            answer.steps(
                seen:
                    "\(request.method) \(request.target) \(framing.joined(separator: " ")) \(request.body.count) \(hash)"
            ))
    }
}

extension RandomExchange: CustomStringConvertible {
    var description: String {
        let body = content.map { "\($0.count) bytes\(isStreamed ? isChunked ? " in chunks" : " of a stream" : "")" }
        return "\(method) with \(body ?? "nothing")\(answersEarly ? ", answered early" : ""); \(answer)"
    }
}

extension SeededGenerator {
    mutating func happens(_ probability: Double) -> Bool { Double.random(in: 0..<1, using: &self) < probability }

    /// Sizes at which something changes are more frequent than others.
    mutating func size(most: Int) -> Int {
        let edge = [0, 1, 2, 100, 1000, 4096, 8192, 16_384, 32_768, 65_536, 131_072, 262_144].randomElement(
            using: &self)
        let size = (edge ?? 0) + (happens(0.5) ? Int.random(in: -2...2, using: &self) : 0)
        return happens(0.3) ? Int.random(in: 0...2000, using: &self) : max(0, min(most, size))
    }

    mutating func bytes(_ count: Int) -> Data {
        var data = Data(capacity: count + 8)
        while data.count < count { withUnsafeBytes(of: next()) { data.append(contentsOf: $0) } }
        return data.prefix(count)
    }
}

extension Data {
    func pieces(of size: Int) -> [Data] {
        stride(from: 0, to: count, by: size).map {
            self[(startIndex + $0)..<(startIndex + Swift.min(count, $0 + size))]
        }
    }
}
