// SPDX-License-Identifier: Apache-2.0

import StrataCache

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The entries as rows of a database. Bodies are in it, or in files when they are large.
struct EntryIndex: Sendable {
    /// The longest body in a row. Beyond that, a file is faster (https://sqlite.org/intern-v-extern-blob.html).
    static let longestInRow = 64 * 1024
    /// The number of the table's form; another one for each change.
    private static let version: Int64 = 1

    let database: Database
    let files: BodyFiles

    /// For one who writes: the table is made when it is not there, or has another form.
    init(writerOf path: String, files: BodyFiles) throws {
        try self.init(path: path, files: files, patience: 2000)
        try createTable()
    }

    /// For those who only look entries up. `nil` when there is no table yet: its process may have been killed before it made one.
    init?(readerOf path: String, files: BodyFiles) throws {
        try self.init(path: path, files: files, patience: 50)
        guard try version == Self.version else { return nil }
    }

    /// - Parameter patience: how long another process may keep it waiting, in milliseconds.
    private init(path: String, files: BodyFiles, patience: Int32) throws {
        self.files = files
        database = try Database(path: path, patience: patience)
        try database.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA temp_store = MEMORY")
    }

    private var version: Int64 {
        get throws {
            var version: Int64 = 0
            try database.run("PRAGMA user_version") { version = $0.number(0) }
            return version
        }
    }

    private func createTable() throws {
        try database.transaction {
            guard try version != Self.version else { return }
            try database.execute(
                """
                DROP TABLE IF EXISTS entries;
                CREATE TABLE entries (
                    url TEXT NOT NULL, partition TEXT NOT NULL, variation TEXT NOT NULL, meta BLOB NOT NULL, body BLOB,
                    file TEXT, length INTEGER NOT NULL, hash BLOB NOT NULL, cost INTEGER NOT NULL, used INTEGER NOT NULL);
                CREATE UNIQUE INDEX entries_by_request ON entries (url, partition, variation);
                CREATE INDEX entries_by_use ON entries (used, cost);
                PRAGMA user_version = \(Self.version)
                """)
        }
    }

    // MARK: Reading

    /// What there is under a key.
    struct Found: Sendable {
        var sound: [CacheEntry] = []
        /// Rows whose bytes are not those that were written.
        var damaged: [Int64] = []
        /// Rows whose last use was noted long ago.
        var unnoted: [Int64] = []
    }

    func entries(for key: CacheKey, now: Date) throws -> Found {
        var found = Found()
        let sql = "SELECT rowid, meta, body, file, length, hash, used FROM entries WHERE url = ? AND partition = ?"
        try database.run(sql, [.text(key.url), .text(key.partition)]) { row in
            let id = row.number(0)
            guard let entry = entry(in: row) else { return found.damaged.append(id) }
            found.sound.append(entry)
            if Self.seconds(now) - row.number(6) > 60 { found.unnoted.append(id) }
        }
        return found
    }

    private func entry(in row: Database.Row) -> CacheEntry? {
        guard let meta = row.blob(1), let hash = row.blob(5) else { return nil }
        let length = row.number(4)
        let body: CacheBody?
        if let file = row.text(3) {
            body = files.body(file, length: length, hash: hash)
        } else {
            body = row.blob(2).flatMap { data in
                Int64(data.count) == length && BodyFiles.hash(of: data) == hash ? CacheBody(data) : nil
            }
        }
        return body.flatMap { CacheEntry(encoded: meta, body: $0) }
    }

    private static func seconds(_ date: Date) -> Int64 { Int64(date.timeIntervalSince1970) }

    // MARK: Writing

    /// Keeps an entry whose body is in memory, and makes room for it.
    func store(_ entry: CacheEntry, _ body: Data, for key: CacheKey, limit: Int, now: Date) throws {
        let file = body.count > Self.longestInRow ? try files.write(body) : nil
        var replaced: [String] = []
        do {
            try database.transaction {
                replaced = try remove("url = ? AND partition = ? AND variation = ?", Self.identity(of: entry, key))
                try database.run(
                    "INSERT INTO entries VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                    Self.identity(of: entry, key) + [
                        .blob(entry.encoded), file == nil ? .blob(body) : .null, file.map { .text($0) } ?? .null,
                        .number(Int64(body.count)), .blob(BodyFiles.hash(of: body)), .number(Int64(entry.cost)),
                        .number(Self.seconds(now)),
                    ])
                replaced += try makeRoom(limit: limit)
            }
        } catch {
            if let file { files.remove(file) }
            throw error
        }
        replaced.forEach(files.remove)
    }

    /// Replaces what is known of an entry whose body is there already.
    func update(_ entry: CacheEntry, for key: CacheKey, now: Date) throws {
        try database.run(
            "UPDATE entries SET meta = ?, used = ? WHERE url = ? AND partition = ? AND variation = ?",
            [.blob(entry.encoded), .number(Self.seconds(now))] + Self.identity(of: entry, key))
    }

    func remove(_ entry: CacheEntry, for key: CacheKey) throws {
        try remove("url = ? AND partition = ? AND variation = ?", Self.identity(of: entry, key)).forEach(files.remove)
    }

    func remove(url: String) throws { try remove("url = ?", [.text(url)]).forEach(files.remove) }

    func remove(rows: [Int64]) throws {
        for row in rows { try remove("rowid = ?", [.number(row)]).forEach(files.remove) }
    }

    func removeAll() throws {
        try database.run("DELETE FROM entries")
        files.removeAll()
    }

    func noteUse(ofRows rows: [Int64], now: Date) throws {
        for row in rows {
            try database.run("UPDATE entries SET used = ? WHERE rowid = ?", [.number(Self.seconds(now)), .number(row)])
        }
    }

    /// Removes the files that no row names.
    func removeStrayFiles() throws {
        var names: Set<String> = []
        try database.run("SELECT file FROM entries WHERE file IS NOT NULL") { row in
            if let name = row.text(0) { names.insert(name) }
        }
        files.removeAll(except: names)
    }

    /// How many entries there are, and how much they take.
    func size() throws -> (count: Int, cost: Int) {
        var size = (count: 0, cost: 0)
        try database.run("SELECT COUNT(*), TOTAL(cost) FROM entries") { size = (Int($0.number(0)), Int($0.number(1))) }
        return size
    }

    private static func identity(of entry: CacheEntry, _ key: CacheKey) -> [Database.Value] {
        [.text(key.url), .text(key.partition), .text(entry.variationText)]
    }

    /// - Returns: the files of the rows that were removed.
    private func remove(_ condition: String, _ values: [Database.Value], cost: inout Int) throws -> [String] {
        var files: [String] = []
        try database.run("DELETE FROM entries WHERE \(condition) RETURNING file, cost", values) { row in
            if let file = row.text(0) { files.append(file) }
            cost += Int(row.number(1))
        }
        return files
    }

    private func remove(_ condition: String, _ values: [Database.Value]) throws -> [String] {
        var cost = 0
        return try remove(condition, values, cost: &cost)
    }

    /// Removes what was not used for the longest time until the rest fits.
    private func makeRoom(limit: Int) throws -> [String] {
        let excess = try size().cost - limit
        var files: [String] = []
        var freed = 0
        while freed < excess {
            let before = freed
            let oldest = "rowid = (SELECT rowid FROM entries ORDER BY used, rowid LIMIT 1)"
            files += try remove(oldest, [], cost: &freed)
            if freed == before { break }
        }
        return files
    }
}
