// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataCore

@testable import StrataTesting

/// A request, and what a server does about it over HTTP/2, both made of a seed: sizes around windows and frames, pauses, resets, ends
/// of the connection, interim answers, trailers.
struct RandomStreamExchange: Sendable {
    private enum Refusal {
        case refused
        /// The connection takes no further streams, this one among them.
        case leftOut
    }

    let number: Int
    let method: HTTPRequest.Method
    private let content: Data?
    private let isStreamed: Bool
    private let hasLength: Bool
    let isAnsweredEarly: Bool
    /// What happens to the first attempts.
    private let refusals: [Refusal]
    private let answer: RandomStreamAnswer

    /// - Parameters:
    ///   - isAlone: whether nothing else is on the connection, so that something may happen to that.
    ///   - mayBeEarly: whether the answer may come before the request's body has been sent.
    init(_ number: Int, isAlone: Bool, mayBeEarly: Bool = true, seed: UInt64) {
        self.number = number
        var random = SeededGenerator(seed: seed &* 1_000_003 &+ UInt64(number))
        method = [.get, .get, .get, .head, .put, .put, .delete, .options].randomElement(using: &random) ?? .get
        let hasBody = method == .put || method != .head && random.happens(0.05)
        content = hasBody ? random.bytes(random.size(most: 200_000)) : nil
        isStreamed = random.happens(0.5)
        hasLength = random.happens(0.5)
        // After an early answer libcurl waits for more of a stream whose length it does not know.
        isAnsweredEarly = mayBeEarly && hasBody && (!isStreamed || hasLength) && random.happens(0.1)
        let count = random.happens(0.1) ? Int.random(in: 1...2, using: &random) : 0
        let refusal: Refusal = isAlone && random.happens(0.5) ? .leftOut : .refused
        refusals = Array(repeating: refusal, count: count)
        answer = RandomStreamAnswer(to: method, isAlone: isAlone, isOrderly: isAnsweredEarly, &random)
    }

    func request(to url: String, _ configure: (inout RequestOptions) -> Void) throws -> TransportRequest {
        var options = RequestOptions()
        options.timeouts = Timeouts(connect: .seconds(60), idle: .seconds(60))
        configure(&options)
        // Else each would ask for what it can decode.
        let fields: HTTPFields = [.acceptEncoding: "identity", .userAgent: "strata-test"]
        return try TransportRequest(
            method: method, url: "\(url)/\(number)", headerFields: fields, body: body, options: options)
    }

    private var body: RequestBody {
        guard let content else { return .empty }
        guard isStreamed else { return .data(content) }
        return .stream(length: hasLength ? Int64(content.count) : nil, isReplayable: true) {
            PiecesSource(content.pieces(of: 10_000))
        }
    }

    var hasBody: Bool { content != nil }

    var endsWithConnection: Bool { answer.endsWithConnection }

    /// Of a whole answer.
    var answered: Data { answer.body }

    /// Behind a whole answer.
    var trailers: HTTPFields {
        HTTPFields(answer.trailers.map { HTTPField(name: .init($0.0) ?? .eTag, value: $0.1) })
    }

    /// - Parameters:
    ///   - attempt: how many there were before.
    ///   - fields: of the request's head.
    func script(attempt: Int, on stream: UInt32, _ fields: [String: String]) -> HTTP2Script {
        // Of a request that is refused some may come all the same, and takes room in the connection's window.
        let grant: [HTTP2Script.Step] = content.map { $0.isEmpty ? [] : [.grant(UInt32($0.count))] } ?? []
        if attempt < refusals.count {
            let isLeftOut = refusals[attempt] == .leftOut
            return HTTP2Script(
                steps: grant + (isLeftOut ? [.goAway(includesThis: false)] : [.reset(.refusedStream)]))
        }
        if isAnsweredEarly { return HTTP2Script(steps: grant + answer.steps(on: stream, seen: "early")) }
        let head = "\(fields[":method"] ?? "") \(fields["content-length"] ?? "-")"
        return HTTP2Script(
            steps: grant + [
                .answer { [answer] request in
                    var hash: UInt32 = 2_166_136_261
                    for byte in request.body { hash = (hash ^ UInt32(byte)) &* 16_777_619 }
                    return answer.steps(on: stream, seen: "\(head) \(request.body.count) \(hash)")
                }
            ])
    }
}

extension RandomStreamExchange: CustomStringConvertible {
    var description: String {
        let body = content.map {
            "\($0.count) bytes\(isStreamed ? hasLength ? " of a stream" : " of a stream without length" : "")"
        }
        return
            "\(method) with \(body ?? "nothing")\(isAnsweredEarly ? ", answered early" : ""), refused \(refusals.map { "\($0)" }); \(answer)"
    }
}
