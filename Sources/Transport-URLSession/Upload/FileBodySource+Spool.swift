// SPDX-License-Identifier: Apache-2.0

import StrataCore

extension FileBodySource {
    /// Everything that `source` produces, in an unnamed temporary file.
    ///
    /// - Throws: what the source throws; ``NetworkClientError`` with `internalFailure` when there is no room. The source
    ///   is cancelled then.
    static func spool(_ source: any BodySource) async throws -> FileBodySource {
        do {
            let file = try TemporaryFile()
            var length: Int64 = 0
            while let piece = try await source.next() {
                try file.write(piece, at: length)
                length += Int64(piece.count)
            }
            return FileBodySource(descriptor: file.takeDescriptor(), offset: 0, length: length)
        } catch {
            source.cancel()
            throw error
        }
    }
}
