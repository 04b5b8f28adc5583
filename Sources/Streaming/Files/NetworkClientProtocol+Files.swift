// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
public import StrataCore

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension NetworkClientProtocol {
    /// Saves a response's body as a file, in bounded memory whatever its size.
    ///
    ///     let file = try await client.download(NetworkRequest<VoidRequest, VoidResponse>(path: "big.iso", method: .get), to: url)
    ///
    /// The file gets its name when the body is complete. Until then the bytes are in another file beside it, which is
    /// removed when the call fails or is cancelled, unless `DownloadOptions.resumes` keeps it. The folder of `url`
    /// has to exist.
    ///
    /// Of the timeouts only `connect` and `idle` hold, unless the request sets others. A limit on the size of a
    /// response holds for each response, which of a resumed download is the rest of the file. `progress` ends with the
    /// call.
    ///
    /// - Throws: what ``StrataCore/NetworkClientProtocol/open(_:)`` throws, and what ends the body early;
    ///   ``StrataCore/NetworkClientError`` with code `fileFailed`, and the system's error as its cause, when the file cannot
    ///   be made (nothing is sent then), written or put in its place.
    @discardableResult
    public func download<RequestModel, ResponseModel>(
        _ request: NetworkRequest<RequestModel, ResponseModel>, to url: URL,
        options: DownloadOptions = DownloadOptions(), progress: ProgressUpdates? = nil
    ) async throws -> DownloadedFile {
        defer { progress?.finish() }
        var requestOptions = configuration.options
        requestOptions.makeOpenEnded()
        var built = try configuration.recordedTransportRequest(for: request, options: requestOptions)
        if built.head.headerFields[.accept] == nil { built.head.headerFields[.accept] = "*/*" }
        let downloader = Downloader(
            client: self, request: built, decoder: request.decoder ?? configuration.defaultDecoder, destination: url,
            options: options, progress: progress)
        return try await downloader.run()
    }

    /// Runs a request and reports how much of its body the transport has taken: for uploads.
    ///
    ///     let updates = ProgressUpdates()
    ///     async let reply = client.run(request, uploadProgress: updates)
    ///     for await progress in updates { bar.show(progress.fraction) }
    ///     _ = try await reply
    ///
    /// Each attempt begins at 0. Bytes count when the transport takes them, which is at most some hundred kilobytes
    /// before they are on the wire. The transport gets the body as a stream, also that of a file; URLSession on Linux
    /// writes a stream to the temporary directory before it sends any of it.
    ///
    /// - Throws: as ``StrataCore/NetworkClientProtocol/run(_:)``.
    public func run<RequestModel, ResponseModel>(
        _ request: NetworkRequest<RequestModel, ResponseModel>, uploadProgress progress: ProgressUpdates
    ) async throws -> NetworkResponse<ResponseModel> {
        defer { progress.finish() }
        var request = request
        request.middleware = (request.middleware ?? configuration.middleware) + [UploadProgressMiddleware(progress)]
        return try await run(request)
    }
}
