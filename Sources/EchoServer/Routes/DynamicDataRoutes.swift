// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Hummingbird
import NIOCore

/// `/delay`, `/drip`, `/stream`, `/bytes`, `/stream-bytes`, `/range`, and `/download` of any size.
enum DynamicDataRoutes {
    /// httpbin's limits.
    private static let longestDelay = 10.0
    private static let mostBytes = 100 * 1024
    private static let mostDrippedBytes = 10 * 1024 * 1024
    private static let mostMessages = 100
    private static let largestChunk = 16 * 1024 * 1024

    static var routes: [Route] {
        [
            Route("/delay/{seconds}", .httpbin, handler: delay),
            Route("/drip", handler: drip),
            Route("/stream/{n:int}", handler: stream),
            Route("/bytes/{n:int}", handler: bytes),
            Route("/stream-bytes/{n:int}", handler: streamBytes),
            Route("/range/{n:int}", handler: range),
            Route("/download/{n:int}", handler: download),
        ]
    }

    private static func delay(_ request: EchoRequest) async throws -> Response {
        guard let seconds = Double(request.text("seconds")), seconds >= 0 else { throw noDelay }
        try await Task.sleep(for: .seconds(min(seconds, longestDelay)))
        let members: [HTTPBinRecord.Member] = [.args, .data, .files, .form, .headers, .origin, .url]
        return .json(.object(try await HTTPBinRecord.make(members, of: request)))
    }

    /// `?duration=2&numbytes=10&code=200&delay=0`: asterisks, one at a time.
    private static func drip(_ request: EchoRequest) async throws -> Response {
        let count = min(request.arguments.number("numbytes") ?? 10, mostDrippedBytes)
        guard count > 0 else { return .text("number of bytes must be positive", status: .badRequest) }
        let pause = try pause(request, "duration", default: 2, over: count)
        let code = request.arguments.number("code") ?? 200
        guard (200...999).contains(code) else { throw HTTPError(.badRequest, message: "`code` is a final status.") }
        let delay = request.arguments.number("delay") ?? 0.0
        guard !delay.isNaN else { throw noDelay }
        try await Task.sleep(for: .seconds(min(max(delay, 0), longestDelay)))
        return .stream(type: "application/octet-stream", status: .init(code: code), length: count) { writer in
            for _ in 0..<count {
                try await writer.write(ByteBuffer(string: "*"))
                if pause > .zero { try await Task.sleep(for: pause) }
            }
        }
    }

    private static var noDelay: HTTPError { HTTPError(.badRequest, message: "The delay is a number of seconds.") }

    /// A time in seconds from the query, shared out over `count` bytes.
    private static func pause(
        _ request: EchoRequest, _ name: String, default: Double, over count: Int
    ) throws -> Duration {
        let seconds = request.arguments.number(name) ?? `default`
        guard (0...3600).contains(seconds) else { throw HTTPError(.badRequest, message: "`\(name)` is in 0...3600.") }
        return .seconds(seconds / Double(count))
    }

    /// The size of one write.
    private static func chunkSize(of request: EchoRequest, default: Int = 10 * 1024) -> Int {
        min(max(1, request.arguments.number("chunk_size") ?? `default`), largestChunk)
    }

    /// JSON Lines.
    private static func stream(_ request: EchoRequest) async throws -> Response {
        let record = try await HTTPBinRecord.make([.args, .headers, .origin, .url], of: request)
        let count = min(request.integer("n"), mostMessages)
        return .stream(type: "application/json") { writer in
            for id in 0..<count {
                let line = JSONValue.object(record.merging(["id": .int(id)]) { _, new in new }).compact + "\n"
                try await writer.write(ByteBuffer(string: line))
            }
        }
    }

    private static func bytes(_ request: EchoRequest) -> Response {
        var random = SeededBytes(seed: request.arguments.number("seed"))
        return .bytes(random.next(min(request.integer("n"), mostBytes)), type: "application/octet-stream")
    }

    private static func streamBytes(_ request: EchoRequest) -> Response {
        var random = SeededBytes(seed: request.arguments.number("seed"))
        let bytes = random.next(min(request.integer("n"), mostBytes))
        let size = chunkSize(of: request)
        return .stream(type: "application/octet-stream") { writer in
            for start in stride(from: 0, to: bytes.count, by: size) {
                try await writer.write(ByteBuffer(bytes: bytes[start..<min(bytes.count, start + size)]))
            }
        }
    }

    /// The alphabet again and again, in whole or in part (RFC 9110 §14); `?chunk_size=&duration=`.
    private static func range(_ request: EchoRequest) throws -> Response {
        let total = request.integer("n")
        var fields: HTTPFields = [.eTag: "range\(total)", .acceptRanges: "bytes"]
        guard (1...mostBytes).contains(total) else {
            let text = Array("number of bytes must be in the range (0, \(mostBytes)]".utf8)
            return .bytes(text, type: "text/html; charset=utf-8", status: .notFound, fields: fields)
        }
        guard let range = ByteRange.parse(request.fields[.range], total: total) else {
            fields[.contentRange] = "bytes */\(total)"
            return .empty(.rangeNotSatisfiable, fields: fields)
        }
        fields[.contentRange] = "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(total)"
        let pause = try pause(request, "duration", default: 0, over: total)
        let size = chunkSize(of: request)
        let status: HTTPResponse.Status = range.count == total ? .ok : .partialContent
        return .stream(type: "application/octet-stream", status: status, length: range.count, fields: fields) {
            writer in
            for start in stride(from: range.lowerBound, to: range.upperBound, by: size) {
                let chunk = start..<min(range.upperBound, start + size)
                if pause > .zero { try await Task.sleep(for: pause * chunk.count) }
                try await writer.write(ByteBuffer(bytes: chunk.map { UInt8(ascii: "a") + UInt8($0 % 26) }))
            }
        }
    }

    /// Byte `i` is `i % 251`, as many as asked for, never held in memory; `?chunk_size=`, and `?chunked=1` leaves out the length.
    private static func download(_ request: EchoRequest) -> Response {
        let total = request.integer("n")
        let size = chunkSize(of: request, default: 64 * 1024)
        let length = request.arguments.flag("chunked") ? nil : total
        return .stream(type: "application/octet-stream", length: length) { writer in
            // One period more than a chunk, so that every chunk is a slice of it.
            let pattern = ByteBuffer(bytes: (0..<(size + 251)).map { UInt8($0 % 251) })
            let loop = request.context.channel.eventLoop
            var sent = 0
            while sent < total {
                let count = min(size, total - sent)
                guard let chunk = pattern.getSlice(at: sent % 251, length: count) else { return }
                try await writer.write(chunk)
                sent += count
                // The loop would go on with this connection for as long as its client reads.
                try await loop.submit {}.get()
            }
        }
    }
}
