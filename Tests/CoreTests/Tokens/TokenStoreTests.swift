// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataCore
import Synchronization
import TestSupport
import Testing

struct TokenStoreTests {
    private let folder: TemporaryFolder
    private let file: URL

    init() throws {
        folder = try TemporaryFolder()
        file = folder["token"]
    }

    @Test func aFileIsItsOwnersAlone() async throws {
        let store = FileTokenStore(file)
        #expect(try store.load() == nil)
        try store.save(Data("first".utf8))
        #expect(try FileTokenStore(file).load() == Data("first".utf8))
        let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        try store.save(Data("second".utf8))
        #expect(try store.load() == Data("second".utf8))
        try store.save(nil)
        #expect(try store.load() == nil)
        #expect(try folder.names.isEmpty)
    }

    @Test func saysThatItCannotWrite() {
        #expect(throws: POSIXError.self) {
            try FileTokenStore(URL(fileURLWithPath: "/does/not/exist/token")).save(Data())
        }
    }

    @Test func saysThatItCannotLock() async {
        await #expect(throws: POSIXError.self) {
            try await FileTokenStore(URL(fileURLWithPath: "/does/not/exist/token")).exclusively {}
        }
    }

    /// Among all tests at once a turn may take longer than a user would wait.
    private func patientStore() -> FileTokenStore { FileTokenStore(file, patience: .seconds(3600)) }

    /// The stores of two processes would do as two stores do: each opens the lock's file by itself.
    @Test(arguments: ["one store", "two stores", "memory"]) func worksOnALoginOneByOne(_ kind: String) async throws {
        let memory = MemoryTokenStore()
        let one: any TokenStore = kind == "memory" ? memory : patientStore()
        let other: any TokenStore = kind == "two stores" ? patientStore() : one
        let inside = Atomic(0)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for store in Array(repeating: [one, other], count: 10).flatMap({ $0 }) {
                group.addTask { @Sendable in
                    try await store.exclusively {
                        #expect(inside.add(1, ordering: .sequentiallyConsistent).newValue == 1)
                        let count = try await store.load().flatMap { Int(String(decoding: $0, as: UTF8.self)) } ?? 0
                        for _ in 0..<5 { await Task.yield() }
                        try await store.save(Data("\(count + 1)".utf8))
                        inside.subtract(1, ordering: .sequentiallyConsistent)
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try await one.load() == Data("20".utf8))
    }

    @Test func aCancelledWaitLetsTheOthersThrough() async throws {
        let store = MemoryTokenStore()
        let (begun, isOver) = (SharedResult<Void>(), SharedResult<Void>())
        let first = Task {
            try await store.exclusively {
                begun.finish(.success(()))
                try await isOver.value()
            }
        }
        try await begun.value()
        let second = Task { try await store.exclusively {} }
        let third = Task { try await store.exclusively { "third" } }
        second.cancel()
        await #expect(throws: CancellationError.self) { try await second.value }
        isOver.finish(.success(()))
        try await first.value
        #expect(try await third.value == "third")
    }

    @Test func theLockOfAFileEndsWithACancel() async throws {
        let (one, other) = (patientStore(), patientStore())
        let (begun, isOver) = (SharedResult<Void>(), SharedResult<Void>())
        let first = Task {
            try await one.exclusively {
                begun.finish(.success(()))
                try await isOver.value()
            }
        }
        try await begun.value()
        let second = Task { try await other.exclusively {} }
        second.cancel()
        await #expect(throws: CancellationError.self) { try await second.value }
        isOver.finish(.success(()))
        try await first.value
        try await other.exclusively {}
    }

    @Test func aStoreShowsNoToken() {
        let store = MemoryTokenStore(Data(Leaks.mark.utf8))
        var dumped = ""
        dump(store, to: &dumped)
        Leaks.check("\(store)\(dumped)", "a store")
    }
}
