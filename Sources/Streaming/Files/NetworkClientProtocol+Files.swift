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
    /// The file has its name only when the body was complete: until then the bytes are in another one beside it, which
    /// is removed when the call fails or is cancelled (unless `DownloadOptions.resumes` keeps it). Of the timeouts only
    /// `connect` and `idle` hold, unless the request sets others. The client's limit on the size of a response holds when it
    /// is set, for each response: of a download that goes on, for the rest. The URL is a file's, whose folder has to be
    /// there. `progress` ends with the call.
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
    /// Each attempt begins at 0. What is taken is on its way, at most some hundred kilobytes from the wire. The transport gets
    /// a stream, also for a file, and URLSession on Linux takes a stream whole, into the temporary directory, before it sends it.
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
