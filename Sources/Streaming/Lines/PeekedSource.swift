// SPDX-License-Identifier: Apache-2.0

package import StrataCore
import Synchronization

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// A body whose first line is looked at before it is read from its beginning.
package final class PeekedSource: BodySource {
    private let source: any BodySource
    private let held = Mutex(Data())

    package init(_ source: any BodySource) { self.source = source }

    /// The first line that is not blank; what there is of it where the body ends before the line does, or has `limit`
    /// bytes.
    package func firstLine(upTo limit: Int) async throws -> Data {
        var data = Data()
        var line = Data()
        repeat {
            guard let piece = try await source.next() else { break }
            data += piece
            line = data.drop { $0.isWhitespace }
            if let end = line.firstIndex(of: .lineFeed) {
                line = line[..<end]
                break
            }
        } while data.count < limit
        held.withLock { $0 = data }
        return line
    }

    package func next() async throws -> Data? {
        let data = held.withLock { held in
            defer { held = Data() }
            return held
        }
        return data.isEmpty ? try await source.next() : data
    }

    package func cancel() { source.cancel() }
}
