// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Hummingbird

/// `/get`, `/post` and their like, and `/anything`.
enum MethodRoutes {
    static var routes: [Route] {
        [
            Route("/get") { .json(.object(try await HTTPBinRecord.make([.args, .headers, .origin, .url], of: $0))) },
            Route("/post", .only([.post]), handler: withBody),
            Route("/put", .only([.put]), handler: withBody),
            Route("/patch", .only([.patch]), handler: withBody),
            Route("/delete", .only([.delete]), handler: withBody),
            Route("/anything", .any, handler: anything),
            Route("/anything/{rest:path}", .any, handler: anything),
        ]
    }

    private static func withBody(_ request: EchoRequest) async throws -> Response {
        let members: [HTTPBinRecord.Member] = [.args, .data, .files, .form, .headers, .json, .origin, .url]
        return .json(.object(try await HTTPBinRecord.make(members, of: request)))
    }

    private static func anything(_ request: EchoRequest) async throws -> Response {
        let members: [HTTPBinRecord.Member] = [
            .args, .data, .files, .form, .headers, .json, .method, .origin, .url,
        ]
        let response = Response.json(.object(try await HTTPBinRecord.make(members, of: request)))
        return request.head.method == .head ? response.createHeadResponse() : response
    }
}
