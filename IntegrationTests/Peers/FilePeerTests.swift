// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataCore
import StrataStreaming
import TestSupport
import Testing

/// Files from and to nginx, whose ranges and validators are the real ones.
@Suite(.peers(.nginx, .openssl))
struct FilePeerTests {
    private func request(
        _ path: String, _ options: RequestOptions.Override? = nil
    ) -> NetworkRequest<VoidRequest, VoidResponse> {
        NetworkRequest(path: path, method: .get, options: options)
    }

    @Test(arguments: TestedTransport.allCases) func downloadsALargeFile(_ kind: TestedTransport) async throws {
        let nginx = try await Nginx.shared()
        let data = patternedData(count: 3_000_000)
        let path = try nginx.publish(data)
        try await kind.run(nginx.url(.plain, "")) { client, folder in
            let url = folder["a.bin"]
            let updates = ProgressUpdates(interval: .zero)
            async let download = client.download(request(path), to: url, progress: updates)
            var last = TransferProgress()
            for await progress in updates {
                #expect(progress.completed >= last.completed)
                last = progress
            }
            let file = try await download
            #expect(last.completed == 3_000_000)
            #expect(last.total == 3_000_000)
            #expect(last.bytesPerSecond > 0)
            #expect(file.byteCount == 3_000_000)
            expectEqual(try Data(contentsOf: url), data)
            expectEqual(try folder.names, ["a.bin"])
        }
    }

    @Test(arguments: TestedTransport.allCases) func goesOnByRange(_ kind: TestedTransport) async throws {
        let nginx = try await Nginx.shared()
        let data = patternedData(count: 2_000_000)
        let path = try nginx.publish(data)
        try await kind.run(nginx.url(.plain, "")) { client, folder in
            let url = folder["a.bin"]
            let error = await #expect(throws: NetworkClientError.self) {
                try await client.download(
                    request(path) { $0.maximumResponseBytes = 700_000 }, to: url, options: .resuming)
            }
            #expect(error?.code == .bodyTooLarge)
            let file = try await client.download(request(path), to: url, options: .resuming)
            #expect(file.resumedFrom > 0)
            #expect(file.response.status.code == 206)
            expectEqual(try Data(contentsOf: url), data)
            expectEqual(try folder.names, ["a.bin"])
        }
    }

    @Test(arguments: TestedTransport.allCases) func startsOverWhenTheFileHasChanged(_ kind: TestedTransport)
        async throws
    {
        let nginx = try await Nginx.shared()
        let name = UUID().uuidString
        let path = try nginx.publish(patternedData(count: 2_000_000), as: name)
        try await kind.run(nginx.url(.plain, "")) { client, folder in
            let url = folder["a.bin"]
            await #expect(throws: NetworkClientError.self) {
                try await client.download(
                    request(path) { $0.maximumResponseBytes = 700_000 }, to: url, options: .resuming)
            }
            let changed = Data(patternedData(count: 1_500_000).reversed())
            _ = try nginx.publish(changed, as: name)
            let file = try await client.download(request(path), to: url, options: .resuming)
            #expect(file.resumedFrom == 0)
            #expect(file.response.status.code == 200)
            expectEqual(try Data(contentsOf: url), changed)
        }
    }

    @Test(arguments: TestedTransport.allCases) func uploadsAFile(_ kind: TestedTransport) async throws {
        let nginx = try await Nginx.shared()
        try await kind.run(nginx.url(.plain, "")) { client, folder in
            let url = folder["up.bin"]
            try patternedData(count: 1_000_000).write(to: url)
            let request = NetworkRequest<RequestBody, String>(path: "length", method: .put, body: try .file(url))
            let updates = ProgressUpdates()
            let response = try await client.run(request, uploadProgress: updates)
            #expect(response.value == "1000000")
            #expect(updates.current.completed == 1_000_000)
            #expect(updates.current.fraction == 1)
        }
    }

    @Test(
        .enabled(if: TinyDisk.isAvailable, "file systems can be mounted here by nobody"),
        arguments: TestedTransport.allCases, [false, true])
    func leavesNothingUselessOnADiskThatIsFull(_ kind: TestedTransport, _ resumes: Bool) async throws {
        let nginx = try await Nginx.shared()
        let path = try nginx.publish(patternedData(count: 4_000_000))
        try await kind.run(nginx.url(.plain, "")) { client, folder in
            try await TinyDisk.withDisk(at: folder["disk"]) { disk in
                var options = DownloadOptions()
                options.resumes = resumes
                let error = await #expect(throws: NetworkClientError.self) {
                    try await client.download(request(path), to: disk.appending(path: "a.bin"), options: options)
                }
                #expect(error?.code == .fileFailed)
                #expect((error?.cause as? POSIXError)?.code == .ENOSPC)
                let left = try FileManager.default.contentsOfDirectory(atPath: disk.path).sorted()
                guard resumes else { return expectEqual(left, []) }
                expectEqual(left, ["a.bin.strata-part", "a.bin.strata-part.info"])
                let part = try Data(contentsOf: disk.appending(path: "a.bin.strata-part"))
                #expect(part.count >= 512 * 1024)
                #expect(patternedData(count: 4_000_000).starts(with: part))
            }
        }
    }
}

/// A file system of 1 MiB.
private enum TinyDisk {
    static let isAvailable: Bool = {
        guard let folder = try? TemporaryFolder(), (try? mount(folder["disk"])) != nil else { return false }
        try? unmount(folder["disk"])
        return true
    }()

    static func withDisk(at folder: URL, _ body: (URL) async throws -> Void) async throws {
        try mount(folder)
        do {
            try await body(folder)
            try unmount(folder)
        } catch {
            try? unmount(folder)
            throw error
        }
    }

    private static func mount(_ folder: URL) throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        do {
            try Subprocess.run(["/bin/mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", folder.path], in: folder)
        } catch {
            try? FileManager.default.removeItem(at: folder)
            throw error
        }
    }

    private static func unmount(_ folder: URL) throws {
        try Subprocess.run(["/bin/umount", folder.path], in: folder.deletingLastPathComponent())
        try FileManager.default.removeItem(at: folder)
    }
}
