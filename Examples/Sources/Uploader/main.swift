// SPDX-License-Identifier: Apache-2.0

// Uploads a file by the protocol tus 1.0, which goes on where an upload broke off: the server says how much it has, and the rest
// is sent from there.
//
//     swift run Uploader FILE https://uploads.example/files

import Foundation
import Strata

extension HTTPField.Name {
    static let tusResumable = Self("Tus-Resumable")!
    static let uploadLength = Self("Upload-Length")!
    static let uploadOffset = Self("Upload-Offset")!
}

struct Uploader {
    let client: NetworkClient
    let fields: HTTPFields = [.tusResumable: "1.0.0"]

    /// Returns the URL of what was uploaded.
    func upload(_ file: URL, to url: String) async throws -> String {
        let size = try FileManager.default.attributesOfItem(atPath: file.path)[.size] as? Int64 ?? 0
        var fields = fields
        fields[.uploadLength] = "\(size)"
        let made = try await client.post(
            RequestPath(raw: url), fields: fields, returning: NetworkResponse<VoidResponse>.self)
        guard let location = made.headerFields[.location],
            let place = URL(string: location, relativeTo: URL(string: url))?.absoluteString
        else { throw UploadError(description: "the server names no place for the upload") }

        var attempts = 0
        var offset: Int64 = 0
        while offset < size {
            do {
                offset = try await send(file, from: offset, to: place)
            } catch let error as NetworkClientError where error.isTransient && attempts < 5 {
                attempts += 1
                // How much of it has arrived, nobody knows but the server.
                offset = try await self.offset(of: place)
                print("broke off (\(error.code)); going on at \(offset) of \(size) bytes")
            }
        }
        return place
    }

    private func send(_ file: URL, from offset: Int64, to place: String) async throws -> Int64 {
        var fields = fields
        fields[.uploadOffset] = "\(offset)"
        fields[.contentType] = "application/offset+octet-stream"
        let request = NetworkRequest<RequestBody, VoidResponse>(
            path: RequestPath(raw: place), method: .patch, body: try .file(file, offset: offset), headerFields: fields)
        let response = try await client.run(request)
        return try Self.offset(in: response.headerFields)
    }

    private func offset(of place: String) async throws -> Int64 {
        let response = try await client.head(
            RequestPath(raw: place), fields: fields, returning: NetworkResponse<VoidResponse>.self)
        return try Self.offset(in: response.headerFields)
    }

    private static func offset(in fields: HTTPFields) throws -> Int64 {
        guard let offset = fields[.uploadOffset].flatMap({ Int64($0) }) else {
            throw UploadError(description: "the server does not say how much it has")
        }
        return offset
    }
}

struct UploadError: Error, CustomStringConvertible { let description: String }

let arguments = CommandLine.arguments
guard arguments.count == 3 else {
    print("usage: Uploader FILE URL")
    exit(64)
}
do {
    let uploader = Uploader(client: NetworkClient(middleware: [RetryMiddleware()]))
    let place = try await uploader.upload(URL(filePath: arguments[1]), to: arguments[2])
    print("uploaded to \(URL(string: place)?.path ?? place)")
} catch {
    print(error)
    exit(1)
}
