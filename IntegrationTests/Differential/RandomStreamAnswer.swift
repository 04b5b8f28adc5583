// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes

@testable import StrataTesting

/// What a server sends and does for one request of a ``RandomStreamExchange``.
///
/// A connection that takes no more while an answer comes is not among it: libcurl (7.88.1) may lose the answer's body then.
struct RandomStreamAnswer: Sendable {
    private enum Ending {
        /// With the last bytes, or an empty frame behind them.
        case whole
        case reset(HTTP2Script.ErrorCode, at: Double)
        /// The connection ends in the middle.
        case cutOff(at: Double)
        /// Whole, and the connection closes a moment later without a word.
        case closing
        /// More is announced than comes, or less.
        case otherLength(Int)
    }

    private enum Piece {
        case data(Data)
        case padded(Data)
        case nothing
        case pause(Int)
    }

    private let code: Int
    private let ending: Ending
    private let interim: [Int]
    private let fields: [(String, String)]
    private let content: Data
    private let hasContent: Bool
    private let isHead: Bool
    private let announcesLength: Bool
    private let endsApart: Bool
    let trailers: [(String, String)]
    private let pieces: [Piece]

    /// - Parameters:
    ///   - isAlone: whether nothing else is on the connection, so that something may happen to that.
    ///   - isOrderly: whether the answer comes whole.
    init(to method: HTTPRequest.Method, isAlone: Bool, isOrderly: Bool, _ random: inout SeededGenerator) {
        let codes = [200, 200, 200, 200, 200, 201, 202, 204, 206, 301, 304, 400, 403, 404, 410, 418, 500, 503]
        code = codes.randomElement(using: &random) ?? 200
        isHead = method == .head
        hasContent = !isHead && code != 204 && code != 304
        interim = random.happens(0.1) ? (0..<3).map { _ in [102, 103].randomElement(using: &random) ?? 102 } : []
        fields = (0..<Int.random(in: 0..<8, using: &random)).map { _ in Self.field(&random) }
        let content = random.bytes(random.size(most: 300_000))
        let place = Double.random(in: 0..<1, using: &random)
        // Not PROTOCOL_ERROR: libcurl tells of a server that says so as of one that breaks the protocol.
        let resets: [HTTP2Script.ErrorCode] = [.internalError, .cancel]
        let reset = resets.randomElement(using: &random) ?? .cancel
        pieces = hasContent ? Self.pieces(of: content, &random) : []
        ending =
            switch Int.random(in: 0..<100, using: &random) {
            case 0..<15 where !isOrderly: .reset(reset, at: place)
            case 15..<25 where isAlone && !isOrderly: .cutOff(at: place)
            case 32..<37 where isAlone && !isOrderly: .closing
            // Once all that was announced has come, and be that nothing, libcurl does not wait for what may come behind it.
            case 37..<43 where hasContent && !isOrderly:
                .otherLength(Self.isOfOneFrame(pieces) ? [-1, 1].randomElement(using: &random) ?? 1 : 1)
            default: .whole
            }
        let maySayLength = random.happens(0.5)
        endsApart = random.happens(0.3)
        // Behind more libcurl (7.88.1) fails with them.
        trailers =
            hasContent && content.count < 50_000 && random.happens(0.2)
            ? [("x-trailer", "\(random.next())"), ("etag", "\"late\"")] : []
        self.content = content
        // Once all that was announced has come, libcurl does not wait for the end of the stream.
        var endsWithData = !endsApart && trailers.isEmpty
        if case .data? = pieces.last {} else { endsWithData = false }
        switch ending {
        case .reset, .cutOff: announcesLength = maySayLength && endsWithData
        default: announcesLength = maySayLength
        }
    }

    private static func field(_ random: inout SeededGenerator) -> (String, String) {
        let name = ["x-one", "x-two", "vary", "set-cookie", "etag", "server", "via"].randomElement(using: &random)
        let values = ["", "a", "a, b", "a=1; Path=/", "\"quoted, text\"", String(repeating: "v", count: 300)]
        return (name ?? "x", values.randomElement(using: &random) ?? "")
    }

    private static func pieces(of content: Data, _ random: inout SeededGenerator) -> [Piece] {
        let (pauses, pads) = (random.happens(0.2), content.count < 50_000 && random.happens(0.1))
        var pieces: [Piece] = []
        var rest = content
        while !rest.isEmpty {
            let size = max(1, random.size(most: pads ? 16_000 : 70_000))
            pieces.append(pads ? .padded(rest.prefix(size)) : .data(rest.prefix(size)))
            rest = rest.dropFirst(size)
            if random.happens(0.05) { pieces.append(.nothing) }
            if pauses { pieces.append(.pause(Int.random(in: 0...2, using: &random))) }
        }
        return pieces
    }

    /// Whether all of it, and that is more than a byte, comes at once.
    private static func isOfOneFrame(_ pieces: [Piece]) -> Bool {
        guard pieces.count == 1, case .data(let data) = pieces[0] else { return false }
        return (2...16_384).contains(data.count)
    }

    /// Whether the connection ends right behind it.
    var endsWithConnection: Bool { if case .closing = ending { true } else { false } }

    /// When it comes whole.
    var body: Data { hasContent ? content : Data() }

    // MARK: - In steps

    func steps(on stream: UInt32, seen: String) -> [HTTP2Script.Step] {
        var steps: [HTTP2Script.Step] = interim.map {
            Self.head([(":status", "\($0)"), ("x-interim", "\($0)")], on: stream, ends: false)
        }
        let ends = !hasContent || pieces.isEmpty && trailers.isEmpty && !endsApart
        steps.append(Self.head(head(seen: seen), on: stream, ends: ends))
        if !ends {
            steps += body(on: stream)
            if !trailers.isEmpty { steps.append(Self.head(trailers, on: stream, ends: true)) }
        }
        switch ending {
        case .whole, .otherLength: return steps
        case .reset(let code, let place): return part(steps, place) + [.reset(code)]
        case .cutOff(let place): return part(steps, place) + [.wait(.milliseconds(5)), .close]
        case .closing: return steps + [.wait(.milliseconds(5)), .close]
        }
    }

    /// Without what ends the stream.
    private func part(_ steps: [HTTP2Script.Step], _ place: Double) -> [HTTP2Script.Step] {
        Array(steps.prefix(min(steps.count - 1, Int(Double(steps.count) * place))))
    }

    private func body(on stream: UInt32) -> [HTTP2Script.Step] {
        let endsHere = trailers.isEmpty
        var steps: [HTTP2Script.Step] = []
        let last = endsHere && !endsApart ? pieces.lastIndex { if case .data = $0 { true } else { false } } : nil
        for (index, piece) in pieces.enumerated() {
            switch piece {
            case .data(let data):
                steps.append(.body(Array(data), times: 1, ends: index == last))
                // What comes behind it comes behind the end.
                if index == last { return steps }
            case .padded(let data):
                let padding: UInt8 = 7
                steps.append(
                    .frame(
                        HTTP2Frame(
                            .data, flags: 0x8, stream: stream,
                            payload: [padding] + Array(data) + Array(repeating: 0, count: Int(padding)))))
            case .nothing: steps.append(.frame(HTTP2Frame(.data, stream: stream)))
            case .pause(let time): steps.append(.wait(.milliseconds(time)))
            }
        }
        if endsHere { steps.append(.frame(HTTP2Frame(.data, flags: HTTP2Frame.endStream, stream: stream))) }
        return steps
    }

    private static func head(_ fields: [(String, String)], on stream: UInt32, ends: Bool) -> HTTP2Script.Step {
        let flags = HTTP2Frame.endHeaders | (ends ? HTTP2Frame.endStream : 0)
        return .frame(
            HTTP2Frame(
                .headers, flags: flags, stream: stream, payload: fields.flatMap { HTTP2Frame.field($0, $1) }))
    }

    private func head(seen: String) -> [(String, String)] {
        var head = [(":status", "\(code)"), ("x-seen", seen)] + fields
        if case .otherLength(let difference) = ending {
            head.append(("content-length", "\(max(0, content.count + difference))"))
        } else if announcesLength, hasContent || isHead {
            // Without content they say what there would be for GET (RFC 9110 §8.6).
            head.append(("content-length", "\(content.count)"))
        }
        return head
    }
}

extension RandomStreamAnswer: CustomStringConvertible {
    var description: String {
        "\(code), \(content.count) bytes\(announcesLength ? ", announced" : ""), \(ending), \(interim.count) interim, \(pieces.count) pieces\(endsApart ? ", ends apart" : "")\(trailers.isEmpty ? "" : ", trailers")"
    }
}
