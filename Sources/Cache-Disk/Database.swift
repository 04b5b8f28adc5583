// SPDX-License-Identifier: Apache-2.0

import CStrataSQLite

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A connection to a database of SQLite, with its prepared statements. One thread at a time.
///
/// Unchecked, because whoever has it holds a lock while it is used.
final class Database: @unchecked Sendable {
    private let handle: OpaquePointer
    private var statements: [String: OpaquePointer] = [:]

    /// What SQLite has refused.
    struct Failure: Error, CustomStringConvertible {
        let code: Int32
        let description: String

        /// Whether the file is no database, or not a sound one, so that nothing in it can be trusted.
        var isDamage: Bool { [SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_FORMAT, SQLITE_SCHEMA].contains(code & 0xFF) }
    }

    /// - Parameter patience: how long it waits for another process that writes, in milliseconds.
    init(path: String, patience: Int32) throws {
        var handle: OpaquePointer?
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
        let code = sqlite3_open_v2(path, &handle, flags, nil)
        guard code == SQLITE_OK, let handle else {
            sqlite3_close_v2(handle)
            throw Failure(code: code, description: String(cString: sqlite3_errstr(code)))
        }
        self.handle = handle
        sqlite3_extended_result_codes(handle, 1)
        sqlite3_busy_timeout(handle, patience)
    }

    deinit {
        for statement in statements.values { sqlite3_finalize(statement) }
        sqlite3_close_v2(handle)
    }

    /// How many rows the last change has changed.
    var changes: Int { Int(sqlite3_changes(handle)) }

    /// Whether its file is no longer where it was, so that nobody else sees what is written: the folder may have been emptied.
    var hasMoved: Bool {
        var hasMoved: Int32 = 0
        return sqlite3_file_control(handle, "main", SQLITE_FCNTL_HAS_MOVED, &hasMoved) == SQLITE_OK && hasMoved != 0
    }

    /// Executes statements that have no parameters and give no rows.
    func execute(_ sql: String) throws { try check(sqlite3_exec(handle, sql, nil, nil, nil)) }

    /// Executes one statement.
    ///
    /// - Parameter row: is called for each row.
    func run(_ sql: String, _ values: [Value] = [], row: (Row) throws -> Void = { _ in }) throws {
        let statement = try prepared(sql)
        defer {
            sqlite3_reset(statement)
            sqlite3_clear_bindings(statement)
        }
        for (index, value) in values.enumerated() { try check(value.bind(to: statement, at: Int32(index + 1))) }
        while true {
            let code = sqlite3_step(statement)
            if code == SQLITE_DONE { return }
            guard code == SQLITE_ROW else { return try check(code) }
            try row(Row(statement: statement))
        }
    }

    /// Makes all of the changes or none.
    func transaction(_ body: () throws -> Void) throws {
        try run("BEGIN IMMEDIATE")
        do {
            try body()
            try run("COMMIT")
        } catch {
            try? run("ROLLBACK")
            throw error
        }
    }

    private func prepared(_ sql: String) throws -> OpaquePointer {
        if let statement = statements[sql] { return statement }
        var statement: OpaquePointer?
        try check(sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil))
        guard let statement else { throw Failure(code: SQLITE_MISUSE, description: "an empty statement") }
        statements[sql] = statement
        return statement
    }

    private func check(_ code: Int32) throws {
        guard code != SQLITE_OK else { return }
        throw Failure(code: code, description: String(cString: sqlite3_errmsg(handle)))
    }

    /// What a parameter is bound to.
    enum Value {
        case text(String)
        case blob(Data)
        case number(Int64)
        case null

        fileprivate func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
            switch self {
            case .text(let text): strata_bind_text(statement, index, text, Int32(clamping: text.utf8.count))
            case .blob(let data):
                data.withUnsafeBytes { strata_bind_blob(statement, index, $0.baseAddress, Int32(clamping: $0.count)) }
            case .number(let number): sqlite3_bind_int64(statement, index, number)
            case .null: sqlite3_bind_null(statement, index)
            }
        }
    }

    /// The row that a statement stands at. Only as long as it stands there.
    struct Row {
        fileprivate let statement: OpaquePointer

        func number(_ column: Int32) -> Int64 { sqlite3_column_int64(statement, column) }

        func text(_ column: Int32) -> String? { sqlite3_column_text(statement, column).map { String(cString: $0) } }

        func blob(_ column: Int32) -> Data? {
            guard sqlite3_column_type(statement, column) != SQLITE_NULL else { return nil }
            let count = Int(sqlite3_column_bytes(statement, column))
            guard let bytes = sqlite3_column_blob(statement, column) else { return Data() }
            return Data(bytes: bytes, count: count)
        }
    }
}
