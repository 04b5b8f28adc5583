// SPDX-License-Identifier: Apache-2.0

import Foundation
import Harness
import StrataCore
import StrataEncoding

/// One large body in one direction: processor time per MiB, and how much memory came on top.
enum LargeBodies {
    /// `pause=MICROSECONDS` makes the reader wait after each piece.
    static func download(_ arguments: Arguments) async throws {
        let client = benchClient(benchTransport(arguments))
        let pause = arguments.number("pause", 0)
        let version: HTTPVersionPolicy = arguments.number("http", 0) == 1 ? .http1 : .automatic
        func execute(_ url: String) async throws -> TransportResponse {
            var request = try TransportRequest(url: url)
            request.options.httpVersion = version
            return try await client.execute(request)
        }
        try await BodyMeasurement.run {
            _ = try await execute(arguments.text("small", arguments.url)).body.collect()
        } _: {
            var bytes = 0
            for try await piece in try await execute(arguments.url).body {
                bytes += piece.count
                if pause > 0 { try await Task.sleep(for: .microseconds(pause)) }
            }
            return bytes
        }
    }

    static func upload(_ arguments: Arguments) async throws {
        let client = benchClient(benchTransport(arguments))
        let piece = Data(count: 64 * 1024)
        let bytes = arguments.number("bytes", 100 << 20)
        func send(_ bytes: Int) async throws -> Int {
            let body = RequestBody.stream(length: Int64(bytes)) { Pieces(piece, count: bytes / piece.count) }
            let request = try TransportRequest(method: .post, url: arguments.url, body: body)
            _ = try await client.execute(request).body.collect()
            return bytes
        }
        try await BodyMeasurement.run {
            _ = try await send(piece.count)
        } _: {
            try await send(bytes)
        }
    }

    /// A file on disk as one part of a form: `file=PATH`.
    static func multipart(_ arguments: Arguments) async throws {
        let client = benchClient(benchTransport(arguments))
        let file = URL(fileURLWithPath: arguments.text("file", ""))
        let size = try FileManager.default.attributesOfItem(atPath: file.path)[.size] as? Int ?? 0
        func send(_ form: MultipartForm) async throws {
            let encoded = try form.encodedBody()
            var fields: HTTPFields = [:]
            fields[.contentType] = encoded.contentType
            let request = try TransportRequest(
                method: .post, url: arguments.url, headerFields: fields, body: encoded.body)
            _ = try await client.execute(request).body.collect()
        }
        try await BodyMeasurement.run {
            try await send(MultipartForm([.text("small", name: "title")]))
        } _: {
            try await send(MultipartForm([.text("large", name: "title"), try .file(file, name: "file")]))
            return size
        }
    }
}
