// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// `#expect(actual == expected)` where `actual` is awaited: a closure whose only `try` is inside of the macro does not count
/// as one that throws.
func expectEqual<Value: Equatable>(
    _ actual: Value, _ expected: Value, sourceLocation: SourceLocation = #_sourceLocation
) {
    #expect(actual == expected, sourceLocation: sourceLocation)
}

/// Pieces from a list, as a body that can be produced again.
func pieces(_ list: [Data]) -> @Sendable () -> AsyncStream<Data> {
    {
        AsyncStream { continuation in
            for piece in list { continuation.yield(piece) }
            continuation.finish()
        }
    }
}
