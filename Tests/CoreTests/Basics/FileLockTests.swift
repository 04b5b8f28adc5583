// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataCore
import TestSupport
import Testing

struct FileLockTests {
    private let folder: TemporaryFolder
    private var path: String { folder["lock"].path }

    init() throws { folder = try TemporaryFolder() }

    @Test func oneHoldsItAtATime() async throws {
        let lock = try await FileLock.acquire(path, within: .zero)
        let error = await #expect(throws: POSIXError.self) { try await FileLock.acquire(path, within: .zero) }
        #expect(error?.code == .ETIMEDOUT)
        lock.release()
        let next = try await FileLock.acquire(path, within: .zero)
        next.release()
        #expect(FileManager.default.fileExists(atPath: path))
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
    }

    @Test func whoWaitsGetsItWhenItIsFree() async throws {
        let lock = try await FileLock.acquire(path, within: .zero)
        let waiting = Task { try await FileLock.acquire(path, within: .seconds(100_000)) }
        await Task.yield()
        lock.release()
        try await waiting.value.release()
    }

    @Test func aCancelledTaskWaitsNoLonger() async throws {
        let lock = try await FileLock.acquire(path, within: .zero)
        let waiting = Task { try await FileLock.acquire(path, within: .seconds(100_000)) }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        lock.release()
        try await FileLock.acquire(path, within: .zero).release()
    }

    @Test func aFileThatCannotBeOpenedIsAnError() async throws {
        let error = await #expect(throws: POSIXError.self) {
            try await FileLock.acquire(folder["none/lock"].path, within: .zero)
        }
        #expect(error?.code == .ENOENT)
    }
}
