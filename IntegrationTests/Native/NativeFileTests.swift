// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataCore
import StrataNative
import StrataTesting
import TestSupport
import Testing

/// Bodies that are files, which the system sends by itself where there is no TLS.
struct NativeFileTests {
    private func upload(_ path: String, to server: RawServer, offset: Int64 = 0) async throws -> Int {
        let transport = NativeTransport()
        let body = try RequestBody.file(URL(fileURLWithPath: path), offset: offset)
        let request = try TransportRequest(method: .post, url: server.url + "/", body: body)
        let result: Result<Int, any Error>
        do {
            let response = try await transport.send(request)
            _ = try await response.body.collect()
            result = .success(response.head.status.code)
        } catch {
            result = .failure(error)
        }
        await transport.shutdown()
        return try result.get()
    }

    private static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"

    @Test(arguments: [0, 1, 70_000, 5_000_000], [Int64(0), 1])
    func aFileArrivesAsItIs(_ size: Int, _ offset: Int64) async throws {
        let folder = try TemporaryFolder()
        let data = Data((0..<size).map { UInt8(truncatingIfNeeded: $0 &* 7 >> 3) })
        try data.write(to: folder["file"])
        let server = try RawServer.start(script: [.readRequest, .send(Self.ok)])
        defer { server.stop() }
        let skipped = min(offset, Int64(size))
        let status = try await upload(folder["file"].path, to: server, offset: skipped)
        #expect(status == 200)
        let request = try #require(server.log.requests.first)
        let isRight = Data(request.body) == data.dropFirst(Int(skipped))
        #expect(isRight)
        #expect(request.values(of: "content-length") == ["\(size - Int(skipped))"])
    }

    /// More than a socket takes at once, so that it is cut in the middle.
    @Test func aFileThatBecomesShorterIsAnError() async throws {
        let folder = try TemporaryFolder()
        try Data(count: 60_000_000).write(to: folder["file"])
        let path = folder["file"].path
        let server = try RawServer.start(script: [
            .readBytes(100_000), .wait(.milliseconds(300)), .readRequest, .send(Self.ok),
        ])
        defer { server.stop() }
        let task = Task { try await upload(path, to: server) }
        try await server.wait { $0.connectionCount > 0 }
        let handle = try FileHandle(forWritingTo: folder["file"])
        try handle.truncate(atOffset: 200_000)
        try handle.close()
        let error = await #expect(throws: NetworkClientError.self) { try await task.value }
        #expect(error?.code == .uploadFailed)
    }

    /// Without the signal that ends the process.
    @Test func aServerThatIsGoneIsAnError() async throws {
        let folder = try TemporaryFolder()
        try Data(count: 20_000_000).write(to: folder["file"])
        let server = try RawServer.start(script: [.readBytes(1000), .reset])
        defer { server.stop() }
        let error = await #expect(throws: NetworkClientError.self) {
            try await upload(folder["file"].path, to: server)
        }
        #expect(error?.code == .connectionLost)
    }

    @Test func anEarlyAnswerEndsTheSending() async throws {
        let folder = try TemporaryFolder()
        try Data(count: 20_000_000).write(to: folder["file"])
        let refusal = "HTTP/1.1 413 Too Large\r\nContent-Length: 2\r\nConnection: close\r\n\r\nno"
        let server = try RawServer.start(script: [.readBytes(1000), .send(refusal), .hang])
        defer { server.stop() }
        let status = try await upload(folder["file"].path, to: server)
        #expect(status == 413)
    }
}
