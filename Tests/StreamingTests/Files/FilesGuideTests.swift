// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataCore
import StrataStreaming
import StrataTesting
import TestSupport
import Testing

/// The samples of `Docs.docc/Files.md`, compiled and run.
struct FilesGuideTests {
    private let folder: TemporaryFolder
    private let client = NetworkClient(ScriptedTransport(.text("hello")))

    init() throws { folder = try TemporaryFolder() }

    @Test func theGuideIsCompiled() throws {
        #expect(try GuideSamples.missing(of: "Files.md", in: #filePath, besides: ["StrataTesting"]) == [])
    }

    @Test func downloads() async throws {
        let url = folder["a"]
        let image = NetworkRequest<VoidRequest, VoidResponse>(path: "images/big.iso", method: .get)
        let file = try await client.download(image, to: url)
        print("\(file.byteCount) bytes in \(file.url.path)")
        #expect(file.byteCount == 5)
    }

    @Test func resumes() async throws {
        let url = folder["a"]
        let image = NetworkRequest<VoidRequest, VoidResponse>(path: "images/big.iso", method: .get)
        let file = try await client.download(image, to: url, options: .resuming)
        print("\(file.resumedFrom) bytes were there already")
        #expect(file.resumedFrom == 0)
    }

    @Test func reports() async throws {
        let url = folder["a"]
        let image = NetworkRequest<VoidRequest, VoidResponse>(path: "images/big.iso", method: .get)
        let updates = ProgressUpdates()
        async let file = client.download(image, to: url, progress: updates)
        for await progress in updates {
            let percent = Int((progress.fraction ?? 0) * 100)
            print("\(percent) %, \(Int(progress.bytesPerSecond / 1000)) kB/s, \(progress.remaining ?? .zero) to go")
        }
        print(try await file.byteCount)
        #expect(updates.current.completed == 5)
    }

    @Test func uploads() async throws {
        let url = folder["video"]
        try Data(count: 1000).write(to: url)
        let request = NetworkRequest<RequestBody, VoidResponse>(path: "videos", method: .post, body: try .file(url))
        let updates = ProgressUpdates()
        async let reply = client.run(request, uploadProgress: updates)
        for await progress in updates { print(progress.completed, progress.total ?? 0) }
        print(try await reply.response.status)
        #expect(updates.current.completed == 1000)
    }
}
