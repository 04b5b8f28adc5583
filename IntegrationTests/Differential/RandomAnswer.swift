// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataCore
import StrataTesting

/// What a server sends and does for one request of a ``RandomExchange``.
struct RandomAnswer: Sendable {
    private enum Framing {
        case length, lengthTwice, chunked, untilClose
        /// HTTP/1.0 whose connection stays all the same.
        case persistent
    }

    private enum Ending {
        /// The connection stays.
        case persistent
        /// The server says that it closes, and does so.
        case announced
        /// It closes without a word.
        case silent
        /// Not all of it is sent.
        case cutOff(at: Double)
        case reset(at: Double)
        /// Something comes behind it.
        case tooMuch
    }

    private let code: Int
    private let isOld: Bool
    private let framing: Framing
    private let ending: Ending
    private let interim: [Int]
    private let fields: [String]
    private let lineEnd: String
    private let content: Data
    private let hasContent: Bool
    private let isHead: Bool
    private let chunks: [Int]
    private let extensions: Bool
    private let trailers: [String]
    /// Where the bytes are cut, as parts of the whole, and how long the server waits there.
    private let cuts: [(place: Double, pause: Int)]

    /// - Parameter isOrderly: whether the answer comes whole.
    init(to method: HTTPRequest.Method, isOld: Bool, isOrderly: Bool, _ random: inout SeededGenerator) {
        let codes = [200, 200, 200, 200, 200, 201, 202, 204, 206, 301, 304, 400, 403, 404, 410, 418, 500, 503]
        code = codes.randomElement(using: &random) ?? 200
        isHead = method == .head
        hasContent = !isHead && code != 204 && code != 304
        self.isOld = isOld
        let framings: [Framing] =
            isOld ? [.length, .persistent, .untilClose] : [.length, .lengthTwice, .chunked, .untilClose]
        framing = framings.randomElement(using: &random) ?? .length
        let place = Double.random(in: 0..<1, using: &random)
        ending =
            switch Int.random(in: 0..<100, using: &random) {
            case 0..<15: .announced
            case 15..<25 where !isOrderly: .silent
            case 25..<40 where !isOrderly: .cutOff(at: place)
            case 40..<43 where !isOrderly: .reset(at: place)
            case 43..<47: .tooMuch
            default: .persistent
            }
        interim = random.happens(0.1) ? (0..<3).map { _ in [102, 103].randomElement(using: &random) ?? 102 } : []
        lineEnd = random.happens(0.05) ? "\n" : "\r\n"
        fields = (0..<Int.random(in: 0..<8, using: &random)).map { _ in Self.field(&random) }
        content = random.bytes(random.size(most: 300_000))
        var left = content.count
        var chunks: [Int] = []
        while left > 0 {
            let size = min(left, max(1, random.size(most: 70_000)))
            chunks.append(size)
            left -= size
        }
        self.chunks = chunks
        extensions = random.happens(0.1)
        trailers = random.happens(0.2) ? ["X-Trailer: \(random.next())"] : []
        let count = random.happens(0.5) ? 0 : Int.random(in: 1..<6, using: &random)
        let pauses = random.happens(0.2)
        cuts = (0..<count).map { _ in
            (Double.random(in: 0..<1, using: &random), pauses ? Int.random(in: 0...2, using: &random) : 0)
        }
    }

    private static func field(_ random: inout SeededGenerator) -> String {
        let name = ["X-One", "x-two", "X-THREE", "Vary", "Set-Cookie", "ETag", "Server", "Via"].randomElement(
            using: &random)
        let value = [
            "", "a", "  padded \t", "a, b", "a=1; Path=/", "\"quoted, text\"", String(repeating: "v", count: 300),
        ]
        return "\(name ?? "X"):\(random.happens(0.9) ? " " : "")\(value.randomElement(using: &random) ?? "")"
    }

    /// When it comes whole.
    var body: Data { hasContent ? content : Data() }

    var isEndedByClose: Bool { framing == .untilClose }

    // MARK: - In bytes

    func steps(seen: String) -> [RawScript.Step] {
        var bytes = head(seen: seen)
        let headSize = bytes.count
        bytes += framedBody
        var end: [RawScript.Step] = closes ? [.close] : []
        switch ending {
        case .cutOff(let place):
            // libcurl does not miss the very last byte of a chunked body.
            bytes = Array(bytes.prefix(min(bytes.count - 2, Int(Double(bytes.count) * place))))
            end = [.close]
        case .reset(let place):
            // The system throws away what the client has not taken in: little enough is there at once.
            bytes = Array(bytes.prefix(min(headSize + 1000, bytes.count - 2, Int(Double(bytes.count) * place))))
            end = [.wait(.milliseconds(5)), .reset]
        default: break
        }
        var steps: [RawScript.Step] = []
        var start = 0
        for cut in cuts.sorted(by: { $0.place < $1.place }) {
            let place = Int(Double(bytes.count) * cut.place)
            if place > start { steps.append(.send(Array(bytes[start..<place]))) }
            if cut.pause > 0 { steps.append(.wait(.milliseconds(cut.pause))) }
            start = max(start, place)
        }
        var rest = Array(bytes[start...])
        if case .tooMuch = ending, !closes {
            // In one write with the end: what comes later may come when the next request has been sent.
            if rest.count > 1000 { steps.append(.send(rest.dropLast(1000))) }
            rest = rest.suffix(1000) + Array("HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\nunasked".utf8)
        }
        if !rest.isEmpty { steps.append(.send(rest)) }
        return steps + end
    }

    /// Whether the connection ends with the answer.
    private var closes: Bool {
        switch ending {
        case .announced, .silent: return true
        default: break
        }
        switch framing {
        case .untilClose: return hasContent || isOld
        case .length: return isOld
        case .lengthTwice, .chunked, .persistent: return false
        }
    }

    private func head(seen: String) -> [UInt8] {
        var lines: [String] = []
        for code in interim where !isOld { lines += ["HTTP/1.1 \(code) Wait", "X-Interim: \(code)", ""] }
        lines.append("HTTP/1.\(isOld ? 0 : 1) \(code) Reason")
        if case .announced = ending {
            lines.append("Connection: close")
        } else if framing == .persistent {
            lines.append("Connection: keep-alive")
        }
        lines.append("X-Seen: \(seen)")
        lines += fields
        // Without content they say what there would be for GET (RFC 9110 §8.6).
        if hasContent || isHead {
            switch framing {
            case .length, .persistent: lines.append("Content-Length: \(content.count)")
            case .lengthTwice: lines += Array(repeating: "Content-Length: \(content.count)", count: 2)
            case .chunked: lines.append("Transfer-Encoding: chunked")
            case .untilClose: break
            }
        }
        return Array((lines + ["", ""]).joined(separator: lineEnd).utf8)
    }

    private var framedBody: [UInt8] {
        guard hasContent else { return [] }
        guard framing == .chunked else { return Array(content) }
        var bytes: [UInt8] = []
        var rest = content
        for size in chunks {
            bytes += Array("\(String(size, radix: 16))\(extensions ? ";name=\"value\"" : "")\r\n".utf8)
            bytes += rest.prefix(size)
            bytes += Array("\r\n".utf8)
            rest = rest.dropFirst(size)
        }
        return bytes + Array((["0"] + trailers + ["", ""]).joined(separator: "\r\n").utf8)
    }
}

extension RandomAnswer: CustomStringConvertible {
    var description: String {
        "\(isOld ? "HTTP/1.0 " : "")\(code), \(content.count) bytes, \(framing), \(ending), \(interim.count) interim, \(cuts.count) cuts"
    }
}
