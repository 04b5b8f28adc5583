// SPDX-License-Identifier: Apache-2.0

#if !canImport(FoundationNetworking)

import Foundation
import HTTPTypes
import StrataCore

extension Platform {
    static let capabilities = TransportCapabilities(
        name: "URLSession",
        features: [
            .streamingResponse, .streamingUpload, .concurrentUpload, .backpressure, .anyMethod, .http2,
            .contentDecoding, .brotli, .proxies, .challengesDelivered, .webSockets,
        ],
        remarks: [
            "The connect timeout is watched while a request with a body connects; without a body, idle covers it.",
            "WebSockets are not compressed, and the body of a response that opens none is not delivered.",
            "Repeated fields are joined by commas, Set-Cookie is split again.",
            "User-Agent, Accept, Accept-Language, and Content-Type on a POST are added when the request has none.",
        ])

    static let overflow = ReceivedBody.Overflow.holdsTransfer
    static let failsOnTrailers = false
    static let failsOnIPv6Addresses = false
    static let suppressibleFields: [HTTPField.Name] = []
    static let suppressedValue = ""

    static func decodes(_ coding: String) -> Bool {
        coding.split(separator: ",").allSatisfy { coding in
            ["gzip", "x-gzip", "deflate", "br"].contains(coding.lowercased().filter { $0 != " " })
        }
    }

    static func prepareProcess() {}

    static func delegateQueue() -> OperationQueue {
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 1
        return queue
    }

    /// Sends a body while it is produced, through a bound pair of streams: subclasses of `InputStream` are not enough for CFNetwork.
    static func startUpload(
        of request: TransportRequest, as urlRequest: URLRequest, in engine: SessionEngine
    ) throws -> URLExchange {
        var (urlRequest, input, output): (URLRequest, InputStream?, OutputStream?) = (urlRequest, nil, nil)
        Stream.getBoundStreams(withBufferSize: 64 * 1024, inputStream: &input, outputStream: &output)
        guard let input, let output else {
            throw NetworkClientError(.internalFailure, "there is no pair of streams for the request's body")
        }
        let feeder = try UploadFeeder(request.body)
        let (exchange, transfer) = try engine.makeExchange(request)
        urlRequest.httpBodyStream = input
        if let length = request.body.length {
            urlRequest.setValue(String(length), forHTTPHeaderField: HTTPField.Name.contentLength.rawName)
        }
        exchange.upload {
            try await feeder.run()
        } onEnd: {
            feeder.cancel()
        }
        let boxed = HandedOver(value: output)
        DispatchQueue(label: "strata.urlsession.upload").async {
            // To close the stream, or to let it go, is to say that the body is complete. Of one that is not the task hears by
            // its cancellation, so until then the stream stays open.
            if !pump(feeder.pipe, into: boxed.value, of: exchange) { exchange.keep(boxed) }
        }
        // The first piece begins that clock.
        engine.begin(exchange, transfer, urlRequest, showsConnection: false)
        return exchange
    }

    /// - Returns: whether all of it was written, and the stream is closed.
    private static func pump(_ pipe: UploadPipe, into output: OutputStream, of exchange: URLExchange) -> Bool {
        output.open()
        var isFirst = true
        return withUnsafeTemporaryAllocation(byteCount: 16 * 1024, alignment: 1) { buffer in
            while true {
                exchange.setAwaitingBody(true)
                guard let count = pipe.read(into: buffer) else { return false }
                exchange.setAwaitingBody(false)
                if count == 0 {
                    output.close()
                    return true
                }
                if isFirst { exchange.beginConnecting(showsConnection: true) }
                isFirst = false
                var written = 0
                while written < count, let start = buffer.baseAddress {
                    let result = output.write(
                        (start + written).assumingMemoryBound(to: UInt8.self), maxLength: count - written)
                    guard result > 0 else {
                        pipe.fail()
                        return false
                    }
                    written += result
                }
            }
        }
    }

    /// Trust in the server and client certificates are the given session's delegate's business, or the system's. Every challenge
    /// of HTTP is turned down, so that its response is delivered.
    static func answer(
        _ challenge: URLAuthenticationChallenge, in session: URLSession, task: URLSessionTask, exchange: URLExchange,
        trust: SessionTrust?,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        switch challenge.protectionSpace.authenticationMethod {
        case NSURLAuthenticationMethodServerTrust, NSURLAuthenticationMethodClientCertificate:
            guard let trust else { return completionHandler(.performDefaultHandling, nil) }
            let challenge = HandedOver(value: challenge)
            // A delegate that is bound to an actor traps on any other queue than the one that it was given.
            trust.queue.addOperation {
                ask(trust.delegate, about: challenge.value, in: session, task: task) { disposition, credential in
                    switch disposition {
                    case .useCredential, .performDefaultHandling: break
                    default: exchange.noteRefusedTrust()
                    }
                    completionHandler(disposition, credential)
                }
            }
        default: completionHandler(.rejectProtectionSpace, nil)
        }
    }

    /// Asks as URLSession does: by the session's method, else by the task's. Without either the system decides.
    private static func ask(
        _ delegate: (any URLSessionDelegate)?, about challenge: URLAuthenticationChallenge, in session: URLSession,
        task: URLSessionTask,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        if let answer = delegate?.urlSession(_:didReceive:completionHandler:) {
            answer(session, challenge, completionHandler)
        } else if let answer = (delegate as? any URLSessionTaskDelegate)?
            .urlSession(_:task:didReceive:completionHandler:)
        {
            answer(session, task, challenge, completionHandler)
        } else {
            completionHandler(.performDefaultHandling, nil)
        }
    }
}

#endif
