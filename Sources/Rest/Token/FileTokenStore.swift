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
            try PrivateFile.read(url.path).map { try JSONDecoder().decodeReceived(RestBearerToken.self, from: $0) }
        }
    }

    /// - Throws: a `POSIXError` when the file cannot be written or removed.
    public func store(_ token: RestBearerToken?) throws {
        let data = try token.map { try JSONEncoder().encode($0) }
        try lock.withLock { _ in
            if let data { try PrivateFile.write(data, to: url.path) } else { try PrivateFile.remove(url.path) }
        }
    }
}
