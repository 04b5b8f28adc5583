// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataCache
import StrataCore
import StrataDiskCache
import TestSupport
import Testing

struct DiskStoreTests {
    /// Small ones are in the database, larger ones in files; the largest are read as a stream.
    private static let sizes = [0, 1, 10_000, 64 * 1024, 64 * 1024 + 1, 1024 * 1024, 1024 * 1024 + 1]

    @Test(arguments: sizes)
    func aResponseOutlivesTheStore(size: Int) async throws {
        let folder = try TemporaryFolder()
        let body = pattern("/x", size: size)
        let first = DiskClient(folder.url) { _ in body }
        try await first.get("/x")
        await first.store.flush()
        let second = DiskClient(folder.url) { _ in Data() }
        for _ in 0..<2 {
            let (data, served) = try await second.get("/x")
            #expect(data == body && served == .cache(.hit))
        }
        #expect(second.sent == 0)
        #expect(await second.store.size().count == 1)
    }

    @Test func whatIsBeingWrittenIsFoundAlready() async throws {
        let folder = try TemporaryFolder()
        let client = DiskClient(folder.url) { pattern($0, size: 100_000) }
        for number in 0..<20 {
            try await client.get("/\(number)")
            #expect(try await client.get("/\(number)").1 == .cache(.hit))
        }
    }

    @Test func allFilesBelongToTheirOwnerAlone() async throws {
        let folder = try TemporaryFolder()
        let client = DiskClient(folder["cache"]) { pattern($0, size: 100_000) }
        try await client.get("/x")
        await client.store.flush()
        let enumerator = try #require(FileManager.default.enumerator(atPath: folder["cache"].path))
        var files = 0
        while let name = enumerator.nextObject() as? String {
            let path = folder["cache"].appending(path: name).path
            let attributes = try FileManager.default.attributesOfItem(atPath: path)
            let mode = try #require(attributes[.posixPermissions] as? NSNumber).intValue
            let isFolder = attributes[.type] as? FileAttributeType == .typeDirectory
            #expect(mode == (isFolder ? 0o700 : 0o600), "\(name)")
            files += isFolder ? 0 : 1
        }
        #expect(files >= 2)
    }

    @Test func personalResponsesStayInMemory() async throws {
        let folder = try TemporaryFolder()
        let client = DiskClient(folder.url) { _ in Data("mine: \(Leaks.mark)".utf8) }
        let requests: [(String, HTTPFields)] = [
            ("/a", [.authorization: "Bearer \(Leaks.mark)"]), ("/b", [.cookie: "sid=\(Leaks.mark)"]),
            ("/c?access_token=\(Leaks.mark)", [:]),
        ]
        for (path, fields) in requests {
            try await client.get(path, fields: fields)
            #expect(try await client.get(path, fields: fields).1 == .cache(.hit), "\(path)")
        }
        await client.store.flush()
        #expect(try contents(of: folder.url).allSatisfy { !Leaks.contains(String(decoding: $0, as: UTF8.self)) })
        let later = DiskClient(folder.url) { _ in Data() }
        for (path, fields) in requests { #expect(try await later.get(path, fields: fields).1 == .network) }
    }

    @Test func unlessTheOptionSaysOtherwise() async throws {
        let folder = try TemporaryFolder()
        let client = DiskClient(
            folder.url, personal: true,
            fields: [.vary: "Authorization, Cookie, X-Key", .setCookie: "sid=\(Leaks.mark)"]
        ) { _ in Data("mine".utf8) }
        let key = try #require(HTTPField.Name("X-Key"))
        try await client.get("/a", fields: [.authorization: "Bearer \(Leaks.mark)", key: Leaks.mark])
        try await client.get("/a", fields: [.authorization: "Bearer \(Leaks.mark)"])
        await client.store.flush()
        let later = DiskClient(folder.url, personal: true) { _ in Data() }
        #expect(try await later.get("/a", fields: [.authorization: "Bearer \(Leaks.mark)"]).1 == .cache(.hit))
        #expect(try await later.get("/a", fields: [.authorization: "Bearer other"]).1 == .network)
        #expect(try contents(of: folder.url).allSatisfy { !Leaks.contains(String(decoding: $0, as: UTF8.self)) })
    }

    private func contents(of folder: URL) throws -> [Data] {
        let names = FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String } ?? []
        #expect(!names.isEmpty)
        return names.compactMap { try? Data(contentsOf: folder.appending(path: $0)) }
    }

    @Test func theLimitHolds() async throws {
        let folder = try TemporaryFolder()
        let client = DiskClient(folder.url, limit: 1_000_000) { pattern($0, size: 90_000) }
        for number in 0..<30 {
            try await client.get("/\(number)")
            await client.store.flush()
        }
        let (count, bytes) = await client.store.size()
        #expect(bytes <= 1_000_000 && (8...11).contains(count))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder["bodies"].path).count == count)
        #expect(try await client.get("/29").1 == .cache(.hit))
        #expect(try await client.get("/0").1 == .network)
    }

    @Test func removalsHoldAlsoForWhatIsBeingWritten() async throws {
        let folder = try TemporaryFolder()
        let client = DiskClient(folder.url) { pattern($0, size: 70_000) }
        for _ in 0..<20 {
            try await client.get("/x")
            await client.store.remove(url: "https://api.example/x")
            #expect(try await client.get("/x").1 == .network)
            try await client.get("/x", method: .delete)
            #expect(try await client.get("/x").1 == .network)
            await client.store.removeAll()
            #expect(try await client.get("/x").1 == .network)
        }
        await client.store.removeAll()
        #expect(await client.store.size().count == 0)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder["bodies"].path) == [])
    }

    @Test func twoStoresShareAFolder() async throws {
        let folder = try TemporaryFolder()
        let clients = (0..<2).map { _ in DiskClient(folder.url) { pattern($0, size: $0.hasSuffix("7") ? 80_000 : 500) }
        }
        try await withThrowingTaskGroup { group in
            for (index, client) in clients.enumerated() {
                group.addTask {
                    for number in 0..<100 {
                        let path = "/\((number * (index + 1)) % 40)"
                        let (data, _) = try await client.get(path)
                        #expect(data == pattern(path, size: path.hasSuffix("7") ? 80_000 : 500))
                        if number.isMultiple(of: 25) { await client.store.remove(url: "https://api.example\(path)") }
                    }
                }
            }
            try await group.waitForAll()
        }
        for client in clients { await client.store.flush() }
        try await clients[0].get("/new")
        await clients[0].store.flush()
        #expect(try await clients[1].get("/new").1 == .cache(.hit))
        #expect(clients.allSatisfy { $0.log.count == 0 })
    }

    // MARK: Trouble

    /// The system may empty a folder of caches, or another process may begin the index anew.
    @Test(arguments: [100, 70_000])
    func aFolderThatIsEmptiedMeanwhileIsBegunAnew(size: Int) async throws {
        let folder = try TemporaryFolder()
        let client = DiskClient(folder["cache"]) { pattern($0, size: size) }
        try await client.get("/x")
        await client.store.flush()
        #expect(try await client.get("/x").1 == .cache(.hit))
        try FileManager.default.moveItem(at: folder["cache"], to: folder["gone"])
        #expect(try await client.get("/x").1 == .network)
        await client.store.flush()
        #expect(try await client.get("/x").1 == .cache(.hit))
        // What it has written others see, and what others remove it does not see.
        let other = DiskClient(folder["cache"]) { _ in Data() }
        #expect(try await other.get("/x").1 == .cache(.hit))
        await other.store.remove(url: "https://api.example/x")
        #expect(try await client.get("/x").1 == .network)
        #expect(client.log.count == 0)
    }

    @Test(arguments: [70_000, 2_000_000])
    func aTornBodyIsAMiss(size: Int) async throws {
        let folder = try TemporaryFolder()
        let client = DiskClient(folder.url) { pattern($0, size: size) }
        for damage in [Damage.flip, .cut, .remove] {
            try await client.get("/x")
            await client.store.flush()
            let name = try #require(try FileManager.default.contentsOfDirectory(atPath: folder["bodies"].path).first)
            try damage.apply(to: folder["bodies"].appending(path: name))
            let later = DiskClient(folder.url) { pattern($0, size: size) }
            let (data, served) = try await later.get("/x")
            #expect(data == pattern("/x", size: size) && served == .network, "\(damage)")
            await later.store.flush()
            #expect(try await later.get("/x").1 == .cache(.hit))
            await client.store.removeAll()
        }
    }

    enum Damage {
        case flip, cut, remove

        func apply(to file: URL) throws {
            var data = try Data(contentsOf: file)
            switch self {
            case .flip: data[data.count / 2] ^= 1
            case .cut: data = data.prefix(data.count / 2)
            case .remove: return try FileManager.default.removeItem(at: file)
            }
            try data.write(to: file)
        }
    }

    @Test(
        .timeLimit(.minutes(10)),
        arguments: [
            Data(String(repeating: "this is no database; ", count: 500).utf8), Data(repeating: 0xA5, count: 100_000),
        ])
    func aDamagedDatabaseIsAMissAndOneLine(damage: Data) async throws {
        let folder = try TemporaryFolder()
        try await fill(folder.url)
        try damage.write(to: folder["index.sqlite"])
        let client = DiskClient(folder.url) { pattern($0, size: 5000) }
        for _ in 0..<3 { #expect(try await client.get("/1").0 == pattern("/1", size: 5000)) }
        await client.store.flush()
        await eventually { client.log.count > 0 }
        #expect(client.log.count == 1)
        try await client.get("/2")
        await client.store.flush()
        let later = DiskClient(folder.url) { _ in Data() }
        #expect(try await later.get("/2").1 == .cache(.hit))
        #expect(later.log.count == 0)
    }

    /// Stores some responses, and returns when the store has closed its files: it would repair what is damaged meanwhile.
    private func fill(_ folder: URL) async throws {
        do {
            let client = DiskClient(folder) { pattern($0, size: 5000) }
            for number in 0..<50 { try await client.get("/\(number)") }
            await client.store.flush()
        }
        // SQLite removes its log with the last connection.
        await eventually { !FileManager.default.fileExists(atPath: folder.appending(path: "index.sqlite-wal").path) }
    }

    @Test(.timeLimit(.minutes(10)))
    func aFolderThatCannotBeMadeIsAMissAndOneLine() async throws {
        let folder = try TemporaryFolder()
        try Data().write(to: folder["file"])
        let client = DiskClient(folder["file"].appending(path: "cache")) { _ in Data("x".utf8) }
        for _ in 0..<3 { #expect(try await client.get("/x").0 == Data("x".utf8)) }
        await client.store.flush()
        await eventually { client.log.count > 0 }
        #expect(client.log.count == 1)
    }

    @Test func filesThatNoEntryNamesAreRemoved() async throws {
        let folder = try TemporaryFolder()
        let client = DiskClient(folder.url) { pattern($0, size: 70_000) }
        try await client.get("/x")
        await client.store.flush()
        for (name, age) in [("old", 7200.0), ("young", 10)] {
            let file = folder["bodies"].appending(path: name)
            try Data("stray".utf8).write(to: file)
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSinceNow: -age)], ofItemAtPath: file.path)
        }
        let later = DiskClient(folder.url) { _ in Data() }
        #expect(try await later.get("/x").1 == .cache(.hit))
        try await later.get("/y")
        await later.store.flush()
        let names = try FileManager.default.contentsOfDirectory(atPath: folder["bodies"].path)
        #expect(!names.contains("old") && names.contains("young") && names.count == 2)
    }
}
