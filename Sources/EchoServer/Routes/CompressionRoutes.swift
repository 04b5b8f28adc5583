// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Hummingbird

/// `/gzip`, `/deflate`, `/brotli`: encoded whether or not the request accepts it.
enum CompressionRoutes {
    static var routes: [Route] {
        [
            route("/gzip", coding: "gzip", mark: "gzipped") { try ZlibEncoder.encode($0, as: .gzip) },
            route("/deflate", coding: "deflate", mark: "deflated") { try ZlibEncoder.encode($0, as: .deflate) },
            route("/brotli", coding: "br", mark: "brotli") { BrotliStore.encode($0) },
        ]
    }

    private static func route(
        _ path: String, coding: String, mark: String, encode: @escaping @Sendable ([UInt8]) throws -> [UInt8]
    ) -> Route {
        Route(path) { request in
            var record = try await HTTPBinRecord.make([.headers, .method, .origin], of: request)
            record[mark] = true
            let encoded = try encode(Array(JSONValue.object(record).pretty.utf8))
            return .bytes(encoded, type: "application/json", fields: [.contentEncoding: coding])
        }
    }
}
