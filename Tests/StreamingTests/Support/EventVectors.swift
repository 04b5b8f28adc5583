// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataTesting
import TestSupport
import Testing

/// `sse/sse-parser.json`
enum EventVectors {
    static let file = "sse/sse-parser.json"

    static func load() throws -> [Case] { try Vectors.cases(file) }

    struct Case: Decodable {
        var name: String
        var input_base64: Data
        var chunkings: [Chunking]?
        var expected_events: [Event]
        var expected_retry_ms: Double?
        var expected_last_event_id_at_end: String?
        var expected_comments: [String]?
    }

    struct Chunking: Decodable {
        var name: String
        var every: Int?
        var sizes: [Int]?

        func pieces(of data: Data) -> [Data] {
            if let every { return data.rechunked(.every(every)).flatMap(\.self) }
            var rest = data[...]
            return (sizes ?? []).map { size in
                defer { rest = rest.dropFirst(size) }
                return Data(rest.prefix(size))
            } + [Data(rest)]
        }
    }

    struct Event: Decodable {
        var type: String
        var data: String
        var id: String?
        var lastEventId: String
    }
}
