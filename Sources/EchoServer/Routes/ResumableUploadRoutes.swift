// SPDX-License-Identifier: Apache-2.0

import Crypto
import HTTPTypes
import Hummingbird
import NIOCore
import Synchronization

/// `/files`: uploads by tus 1.0 that go on where they broke off. Bytes are counted and hashed, and not kept.
///
/// `POST /files` with `Upload-Length` makes one; `?drop_after=n` breaks its connection when `n` bytes have arrived, once.
/// `PATCH` sends, `HEAD` tells how much has arrived, and `GET` what it was.
enum ResumableUploadRoutes {
    static var routes: [Route] {
        [
            Route("/files", .only([.post]), handler: make),
            Route("/files/{id:int}", .only([.get, .head, .patch])) { request in
                switch request.head.method {
                case .patch: try await receive(request)
                case .head: try report(request)
                default: try show(request)
                }
            },
        ]
    }

    /// How much has arrived.
    private static func report(_ request: EchoRequest) throws -> Response {
        let upload = try find(request)
        var fields = progress(of: upload)
        fields[.uploadLength] = "\(upload.size)"
        fields[.cacheControl] = "no-store"
        return .empty(.ok, fields: fields)
    }

    private static func show(_ request: EchoRequest) throws -> Response {
        let upload = try find(request, needsVersion: false)
        return .json([
            "bytes": .int(upload.offset), "length": .int(upload.size), "sha256": .string(upload.hash.finalize().hex),
        ])
    }

    private static func make(_ request: EchoRequest) throws -> Response {
        try checkVersion(of: request)
        guard let size = request.fields[.uploadLength].flatMap({ Int($0) }), size >= 0 else {
            throw HTTPError(.badRequest, message: "`Upload-Length` is a number of bytes.")
        }
        let id = request.router.state.uploads.withLock { uploads in
            uploads.append(.init(size: size, dropAfter: request.arguments.number("drop_after")))
            return uploads.count
        }
        return .empty(.created, fields: [.location: "/files/\(id)", .tusResumable: version])
    }

    private static func receive(_ request: EchoRequest) async throws -> Response {
        let upload = try find(request)
        guard request.fields[.contentType] == "application/offset+octet-stream" else {
            throw HTTPError(.unsupportedMediaType, message: "A piece is `application/offset+octet-stream`.")
        }
        guard var offset = request.fields[.uploadOffset].flatMap({ Int($0) }), offset == upload.offset else {
            throw HTTPError(.conflict, message: "The upload is at \(upload.offset).")
        }
        for try await piece in request.body {
            offset = try append(piece.readableBytesView, at: offset, of: request)
            let breaksOff = request.router.state.uploads.withLock { uploads in
                let index = request.integer("id") - 1
                guard uploads[index].offset == uploads[index].dropAfter else { return false }
                uploads[index].dropAfter = nil
                return true
            }
            if breaksOff {
                try? await request.context.channel.close()
                throw CancellationError()
            }
        }
        return .empty(.noContent, fields: progress(of: try find(request)))
    }

    /// What follows the byte where the connection breaks is not taken.
    private static func append(_ bytes: ByteBufferView, at offset: Int, of request: EchoRequest) throws -> Int {
        try request.router.state.uploads.withLock { uploads in
            let index = request.integer("id") - 1
            guard uploads[index].offset == offset else {
                throw HTTPError(.conflict, message: "Somebody else sends, too.")
            }
            let taken = bytes.prefix(uploads[index].dropAfter.map { max(0, $0 - offset) } ?? bytes.count)
            guard offset + taken.count <= uploads[index].size else {
                throw HTTPError(.contentTooLarge, message: "The upload has \(uploads[index].size) bytes.")
            }
            taken.withUnsafeBytes { uploads[index].hash.update(bufferPointer: $0) }
            uploads[index].offset += taken.count
            return uploads[index].offset
        }
    }

    private static let version = "1.0.0"

    private static func checkVersion(of request: EchoRequest) throws {
        guard request.fields[.tusResumable] == version else {
            throw HTTPError(.preconditionFailed, message: "`Tus-Resumable` is \(version).")
        }
    }

    private static func find(_ request: EchoRequest, needsVersion: Bool = true) throws -> ServiceState.Upload {
        if needsVersion { try checkVersion(of: request) }
        let uploads = request.router.state.uploads.withLock { $0 }
        guard uploads.indices.contains(request.integer("id") - 1) else { throw HTTPError(.notFound) }
        return uploads[request.integer("id") - 1]
    }

    private static func progress(of upload: ServiceState.Upload) -> HTTPFields {
        [.tusResumable: version, .uploadOffset: "\(upload.offset)"]
    }
}
