// SPDX-License-Identifier: Apache-2.0

public import Foundation
import StrataCore
import Synchronization

/// Keeps the token in a file that its owner alone may read and write (mode 0600).
///
/// The file appears whole or not at all: it is written beside its place, with its mode from the first byte, and then moved there.
public final class FileTokenStore: RestTokenStore {
    private let url: URL
    private let lock = Mutex(())

    /// - Parameter url: the file; its folder has to exist.
    public init(_ url: URL) {
        self.url = url
    }

    /// - Throws: what reading throws; a `DecodingError` when the file holds something else.
    public func token() throws -> RestBearerToken? {
        try lock.withLock { _ in
            guard FileManager.default.fileExists(atPath: url.path) else { return nil }
            return try JSONDecoder().decodeReceived(RestBearerToken.self, from: Data(contentsOf: url))
        }
    }

    /// - Throws: a `POSIXError` when the file cannot be written or removed.
    public func store(_ token: RestBearerToken?) throws {
        let data = try token.map { try JSONEncoder().encode($0) }
        try lock.withLock { _ in
            guard let data else {
                guard unlink(url.path) == 0 || errno == ENOENT else { throw Self.failure }
                return
            }
            let temporary = url.appendingPathExtension("\(UUID().uuidString).new").path
            do {
                try Self.write(data, to: temporary)
                guard rename(temporary, url.path) == 0 else { throw Self.failure }
            } catch {
                unlink(temporary)
                throw error
            }
        }
    }

    private static func write(_ data: Data, to path: String) throws {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw failure }
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        try file.write(contentsOf: data)
        try file.synchronize()
        try file.close()
    }

    private static var failure: POSIXError { POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
}
