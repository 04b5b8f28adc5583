// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Hummingbird
import NIOCore

extension Response {
    static func json(_ value: JSONValue, status: HTTPResponse.Status = .ok, fields: HTTPFields = [:]) -> Response {
        .bytes(Array(value.pretty.utf8), type: "application/json", status: status, fields: fields)
    }

    static func text(_ text: String, type: String = "text/plain; charset=utf-8", status: HTTPResponse.Status = .ok)
        -> Response
    {
        .bytes(Array(text.utf8), type: type, status: status)
    }

    static func bytes(
        _ bytes: [UInt8], type: String, status: HTTPResponse.Status = .ok, fields: HTTPFields = [:]
    ) -> Response {
        var fields = fields
        fields[.contentType] = type
        return Response(status: status, headers: fields, body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
    }

    /// Nothing but the head.
    static func empty(_ status: HTTPResponse.Status, fields: HTTPFields = [:]) -> Response {
        Response(status: status, headers: fields)
    }

    /// A body that is written while it is made. Without a length it is chunked in HTTP/1.1.
    static func stream(
        type: String, status: HTTPResponse.Status = .ok, length: Int? = nil, fields: HTTPFields = [:],
        write: @escaping @concurrent @Sendable (inout any ResponseBodyWriter) async throws -> Void
    ) -> Response {
        var fields = fields
        fields[.contentType] = type
        return Response(
            status: status, headers: fields,
            body: ResponseBody(contentLength: length) { writer in
                try await write(&writer)
                try await writer.finish(nil)
            })
    }
}
