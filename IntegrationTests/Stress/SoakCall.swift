// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataCore
import StrataTesting
import Synchronization

/// A server of ``Soak``.
struct SoakTarget: Sendable {
    let name: String
    let url: String

    init?(_ text: String) {
        let parts = text.split(separator: "=", maxSplits: 1)
        guard parts.count == 2 else { return nil }
        (name, url) = (String(parts[0]), String(parts[1]))
    }

    var isFaulty: Bool { name.hasPrefix("faults") }
    var isEchoServer: Bool { name.hasPrefix("echo") }
    var hasPriorKnowledge: Bool { name.hasSuffix("-h2c") }
    var isHTTP1: Bool { name.hasSuffix("-h1") }

    fileprivate var kinds: [SoakCall.Kind] {
        let usual: [SoakCall.Kind] = [.download, .download, .download, .upload, .upload]
        if isEchoServer { return usual + usual + [.stall, .stallBody] }
        // Caddy (2.6) stops reading a body over HTTP/1.1 once its answer has begun.
        guard isFaulty else { return usual + [.gzip, .slow] + (name == "caddy-h1" ? [] : [.mirror]) }
        let faults: [SoakCall.Kind] = [
            .slow, .reset, .resetBody, .truncate, .stall, .stallBody, .goaway, .early, .idle,
        ]
        return usual + usual + faults + (isHTTP1 ? [] : [.refuse, .goawayBefore])
    }
}

/// A call of ``Soak``, made of a random number: to where, with what, how its answer is read, and when it is given up.
struct SoakCall: Sendable, CustomStringConvertible {
    /// The routes of the servers (IntegrationTests/Peers/Servers/soak).
    enum Kind: String {
        case download, gzip, slow, upload, mirror, early, idle, goaway, refuse, reset, truncate, stall
        case goawayBefore = "goaway-before"
        case resetBody = "reset-body"
        case stallBody = "stall-body"

        var sends: Bool { self == .upload || self == .mirror || self == .early }
        var cannotSucceed: Bool { [.reset, .resetBody, .truncate, .stall, .stallBody].contains(self) }
        var isStall: Bool { self == .stall || self == .stallBody }
    }

    private enum Sending { case data, stream, chunks, file }
    private enum Reading { case whole, pieces, slowly, part, nothing }
    /// In milliseconds.
    private enum Ending { case own, cancelled(Int), attempt(Int), deadline(Int) }

    enum Outcome {
        case whole, part, cancelled, timedOut
        case failed(NetworkClientError.Code)
        case wrong(String)

        var name: String {
            switch self {
            case .whole: "whole"
            case .part: "read in part"
            case .cancelled: "cancelled"
            case .timedOut: "timed out"
            case .failed(let code): "\(code)"
            case .wrong: "WRONG"
            }
        }
    }

    private struct WrongBytes: Error { var text: String }

    static let fileSize = 300_000

    let target: SoakTarget
    private let number: UInt64
    private let kind: Kind
    private let size: Int
    private let sending: Sending
    private let reading: Reading
    private let ending: Ending
    private let isReplayable: Bool
    private let seed: UInt64
    private let file: URL

    init(_ number: UInt64, to target: SoakTarget, file: URL, _ random: inout SeededGenerator) {
        self.number = number
        self.target = target
        self.file = file
        let kind = target.kinds.randomElement(using: &random) ?? .download
        self.kind = kind
        // Those that nginx and Caddy have files of (scripts/soak).
        let sizes = [
            0, 1, 100, 16_383, 16_384, 16_385, 65_534, 65_535, 65_536, 65_537, 131_072, 262_145, 300_000, 1_000_000,
        ]
        let size = sizes.randomElement(using: &random) ?? 0
        sending = [.data, .stream, .chunks, .file].randomElement(using: &random) ?? .data
        self.size = kind.sends && sending == .file ? Self.fileSize : kind.cannotSucceed ? max(size, 100) : size
        let readings: [Reading] = [.whole, .whole, .whole, .pieces, .pieces, .slowly, .part, .nothing]
        reading = readings.randomElement(using: &random) ?? .whole
        let limit = Int.random(in: 100...1500, using: &random)
        ending =
            switch Int.random(in: 0..<100, using: &random) {
            case 0..<10: .cancelled(Int.random(in: 0...60, using: &random))
            case 10..<20: .attempt(limit)
            case 20..<25: .deadline(limit)
            default: kind.isStall ? .attempt(limit) : .own
            }
        isReplayable = Bool.random(using: &random)
        seed = random.next()
    }

    var description: String {
        "\(number) \(kind.rawValue) \(size) at \(target.name), \(sending), \(reading), \(ending)"
    }

    // MARK: - Sending

    private func request() throws -> TransportRequest {
        var path = "/\(kind.rawValue)"
        if !kind.sends { path += "/\(size)" }
        if target.isEchoServer, kind == .stall { path = "/hang" }
        if target.isEchoServer, kind == .stallBody { path = "/hang/body/\(size)" }
        if target.isEchoServer, number % 2 == 0 { path += "?chunked=1" }
        if target.isFaulty { path += "?\(number)" }
        var request = try TransportRequest(
            method: kind.sends ? .post : .get, url: target.url + path, body: kind.sends ? try body() : .empty)
        // Nothing takes so long: a call that ends by this hung.
        request.options.timeouts = Timeouts(connect: .seconds(60), idle: .seconds(120))
        if case .attempt(let limit) = ending { request.options.timeouts.attempt = .milliseconds(limit) }
        if case .deadline(let limit) = ending { request.options.timeouts.deadline = .milliseconds(limit) }
        if target.hasPriorKnowledge { request.options.httpVersion = .http2PriorKnowledge }
        return request
    }

    private func body() throws -> RequestBody {
        let (size, seed) = (size, seed)
        switch sending {
        case .data: return .data(SoakPattern.bytes(at: 0, count: size))
        case .file: return try .file(file)
        case .stream, .chunks:
            return .stream(length: sending == .stream ? Int64(size) : nil, isReplayable: isReplayable) {
                SoakSource(size, seed: seed)
            }
        }
    }

    // MARK: - Judging

    func run(_ client: NetworkClient) async -> Outcome {
        let task = Task { try await exchange(client) }
        if case .cancelled(let delay) = ending {
            try? await Task.sleep(for: .milliseconds(delay))
            task.cancel()
        }
        switch await task.result {
        case .success(true) where kind.cannotSucceed: return .wrong("a whole answer")
        case .success(let isWhole): return isWhole ? .whole : .part
        case .failure(let error as WrongBytes): return .wrong(error.text)
        case .failure(is CancellationError):
            if case .cancelled = ending { return .cancelled }
            return .wrong("cancelled by nobody")
        case .failure(let error as NetworkClientError): return judge(error)
        case .failure(let error): return .wrong("\(type(of: error)): \(error)")
        }
    }

    private func judge(_ error: NetworkClientError) -> Outcome {
        switch (error.code, ending) {
        case (.timedOut, .attempt), (.timedOut, .deadline): return .timedOut
        case (.cancelled, .cancelled): return .cancelled
        // A connection that ends takes all its exchanges along.
        case (.connectionLost, _) where target.isFaulty: return .failed(error.code)
        case (.protocolViolation, _) where target.isFaulty && !target.isHTTP1: return .failed(error.code)
        // The server may close an idle connection while a request that must not be sent twice is on its way.
        case (.connectionLost, _) where kind.sends: return .failed(error.code)
        default: return .wrong("\(error)")
        }
    }

    /// - Returns: whether the answer was read as a whole.
    private func exchange(_ client: NetworkClient) async throws -> Bool {
        let response = try await client.execute(request())
        let status = kind == .early ? 413 : 200
        guard response.head.status.code == status else { throw WrongBytes(text: "status \(response.head.status)") }
        switch kind {
        case .early:
            let text = String(decoding: try await response.body.collect(), as: UTF8.self)
            guard text == "too large" else { throw WrongBytes(text: text) }
            return true
        case .upload:
            let text = String(decoding: try await response.body.collect(), as: UTF8.self)
            let isRight = target.isEchoServer || text.contains("\"right\": true")
            let counted = text.replacing(" ", with: "").contains("\"bytes\":\(size),")
            guard isRight, counted else { throw WrongBytes(text: text) }
            return true
        default: return try await read(response.body)
        }
    }

    private func read(_ body: ResponseBody) async throws -> Bool {
        if reading == .nothing { return false }
        if reading == .whole {
            try check(try await body.collect(), at: 0)
            return true
        }
        var count = 0
        var random = SeededGenerator(seed: seed)
        for try await piece in body {
            try check(piece, at: count, isWhole: false)
            count += piece.count
            if reading == .part, count >= size / 3 { return false }
            if reading == .slowly, Int.random(in: 0..<4, using: &random) == 0 {
                try await Task.sleep(for: .milliseconds(Int.random(in: 0...50, using: &random)))
            }
        }
        if count != size { throw WrongBytes(text: "\(count) bytes") }
        return true
    }

    private func check(_ data: Data, at place: Int, isWhole: Bool = true) throws {
        // The echo server has letters there.
        guard !(kind == .stallBody && target.isEchoServer) else { return }
        guard SoakPattern.isFound(in: data, at: place) else { throw WrongBytes(text: "other bytes behind \(place)") }
        if isWhole, data.count != size { throw WrongBytes(text: "\(data.count) bytes") }
    }
}

/// Bytes of which number `i` is `i % 251`.
enum SoakPattern {
    private static let period = (0..<251 * 5000).map { UInt8($0 % 251) }

    static func bytes(at place: Int, count: Int) -> Data {
        let start = place % 251
        return Data(period[start..<(start + count)])
    }

    static func isFound(in data: Data, at place: Int) -> Bool { data == bytes(at: place, count: data.count) }
}

/// A body in pieces of any size, with pauses.
private final class SoakSource: BodySource {
    private let size: Int
    private let state: Mutex<(sent: Int, random: SeededGenerator)>

    init(_ size: Int, seed: UInt64) {
        self.size = size
        state = Mutex((0, SeededGenerator(seed: seed)))
    }

    func next() async throws -> Data? {
        let (place, count, pause) = state.withLock { state in
            let (place, left) = (state.sent, size - state.sent)
            let count = min(left, Int.random(in: 1...70_000, using: &state.random))
            state.sent += count
            let pauses = Int.random(in: 0..<8, using: &state.random) == 0
            return (place, count, pauses ? Int.random(in: 0...10, using: &state.random) : 0)
        }
        if pause > 0 { try await Task.sleep(for: .milliseconds(pause)) }
        return count > 0 ? SoakPattern.bytes(at: place, count: count) : nil
    }

    func cancel() {}
}
