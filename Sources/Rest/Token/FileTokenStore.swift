// SPDX-License-Identifier: Apache-2.0

public import Foundation
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
            return try JSONDecoder().decode(RestBearerToken.self, from: Data(contentsOf: url))
        }
    }

    /// - Throws: `CocoaError` when the file cannot be written.
    public func store(_ token: RestBearerToken?) throws {
        try lock.withLock { _ in
            guard let token else {
                if FileManager.default.fileExists(atPath: url.path) { try FileManager.default.removeItem(at: url) }
                return
            }
            let temporary = url.appendingPathExtension("\(UUID().uuidString).new")
            let isWritten = FileManager.default.createFile(
                atPath: temporary.path, contents: try JSONEncoder().encode(token),
                attributes: [.posixPermissions: 0o600])
            guard isWritten else { throw CocoaError(.fileWriteUnknown) }
            guard rename(temporary.path, url.path) == 0 else {
                try? FileManager.default.removeItem(at: temporary)
                throw CocoaError(.fileWriteUnknown)
            }
        }
    }
}
