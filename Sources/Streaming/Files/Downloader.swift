// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import StrataCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// One download: sends the request, resumes an earlier download if it can, and gives the file its name at the end.
struct Downloader<Client: NetworkClientProtocol> {
    let client: Client
    let request: TransportRequest
    let decoder: any ResponseBodyDecoder
    let destination: URL
    let options: DownloadOptions
    let progress: ProgressUpdates?

    /// What a response means for the bytes that are there.
    private enum Verdict {
        /// The body is the whole.
        case whole
        /// The body goes on where the file ends.
        case rest(ContentRange)
        /// Nothing is missing.
        case complete
        /// What is there is of no use.
        case useless
    }

    /// Runs outside of the caller's actor, because writing to the disk blocks.
    @concurrent func run() async throws -> DownloadedFile {
        let part = try makePart()
        do {
            let (head, exchange, kept) = try await fill(part)
            try Task.checkCancellation()
            let byteCount = part.count
            do {
                try part.finish(replacing: options.replacesExisting)
            } catch var error as NetworkClientError {
                (error.response, error.exchange) = (head, exchange)
                throw error
            }
            return DownloadedFile(
                url: destination, byteCount: byteCount, resumedFrom: kept, response: head, exchange: exchange)
        } catch {
            part.abandon()
            throw error
        }
    }

    private var resumes: Bool {
        options.resumes && request.head.method == .get && !request.head.headerFields.contains(.range)
    }

    private func makePart() throws -> PartialFile {
        guard let path = destination.filePath else {
            throw NetworkClientError(
                .fileFailed, "a download needs a file URL to be saved at, without an escaped slash or NUL")
        }
        if path.isEmpty || path.hasSuffix("/") {
            throw NetworkClientError(.fileFailed, "a download needs the name of a file, not of a folder")
        }
        if let kind = OutputFile.kind(of: path), !kind.isRegular {
            throw NetworkClientError(
                .fileFailed, "\(path) is \(kind.isFolder ? "a folder" : "no regular file") and is not replaced")
        }
        let isTaken = try OutputFile.isTaken(path)
        guard options.replacesExisting || !isTaken else {
            throw NetworkClientError(.fileFailed, "there is a file at \(path) already")
        }
        return try PartialFile(for: path, keepsFor: resumes ? request.resource : nil)
    }

    private typealias Outcome = (response: HTTPResponse, exchange: ExchangeRecord, kept: Int64)

    /// Sends requests until nothing is missing; again after a failure that may pass, as often as the options allow.
    ///
    /// - Returns: the last response's head and its exchange, and how many bytes were there before.
    private func fill(_ part: PartialFile) async throws -> Outcome {
        var kept = part.count
        let clock = client.configuration.clock
        let start = clock.now
        var attempt = 1
        while true {
            do {
                if let outcome = try await fetch(part, &kept, timeSpent: clock.now - start) { return outcome }
            } catch let error as NetworkClientError where error.isTransient && resumes && attempt < options.attempts {
                let wait = min(Duration.seconds(1 << min(attempt - 1, 5)), .seconds(30))
                if let deadline = request.options.timeouts.deadline, clock.now - start + wait >= deadline {
                    throw error
                }
                try await clock.sleep(for: wait)
                attempt += 1
            }
        }
    }

    /// One request.
    ///
    /// - Returns: `nil` when something is still missing.
    private func fetch(_ part: PartialFile, _ kept: inout Int64, timeSpent: Duration) async throws -> Outcome? {
        var request = request(for: part)
        request.options.timeSpent = timeSpent
        let (response, thrown) = try await client.execute(
            request, decoder: decoder, answers: part.isResumable ? [206, 416] : [])
        switch try await verdict(on: response, part) {
        case .complete:
            progress?.begin(completed: part.count, total: part.count)
            return (response.head, thrown ?? response.exchange, kept)
        case .useless:
            response.body.cancel()
            try part.startOver(nil)
            kept = 0
            return nil
        case .whole:
            let total = response.body.length
            try part.startOver(resumes ? info(from: response) : nil)
            kept = 0
            try await save(response, part, expected: total, total: total)
            return (response.head, response.exchange, kept)
        case .rest(let range):
            let expected = range.range.map { Int64($0.count) }
            let total = range.total ?? part.info?.total
            try await save(response, part, expected: expected, total: total)
            // A server may send less than it was asked for (RFC 9110 §15.3.7). Where nobody knows the total, the answer to
            // the next request tells.
            return part.count == total ? (response.head, response.exchange, kept) : nil
        }
    }

    private func request(for part: PartialFile) -> TransportRequest {
        var request = request
        if resumes || !options.acceptsContentCodings, request.head.headerFields[.acceptEncoding] == nil {
            request.head.headerFields[.acceptEncoding] = "identity"
        }
        if resumes, part.isResumable {
            request.head.headerFields[.range] = "bytes=\(part.count)-"
            request.head.headerFields[.ifRange] = part.info?.validator
        }
        return request
    }

    private func verdict(on response: TransportResponse, _ part: PartialFile) async throws -> Verdict {
        let range = ContentRange(response.head.headerFields[.contentRange])
        if part.isResumable, response.head.status.code == 416 {
            // The validator fits, else the server would not have looked at the range (RFC 9110 §13.1.5).
            let isWhole = range?.total == part.count && (part.info?.total ?? part.count) == part.count
            return isWhole && fits(response, part) ? .complete : .useless
        }
        let isPart = response.head.status.code == 206 && !request.head.headerFields.contains(.range)
        // A part was asked for here, whatever the caller takes for success.
        guard isPart, part.isResumable else {
            _ = try await client.checkStatus(of: response, options: request.options, decoder: decoder)
            guard isPart else { return .whole }
            throw NetworkClientError(
                .protocolViolation, "the server sent a part (206) where the whole was asked for",
                response: response.head, exchange: response.exchange)
        }
        let total = part.info?.total
        guard let range, let bounds = range.range, bounds.lowerBound == part.count, !isEncoded(response),
            fits(response, part), total == nil || range.total == nil || total == range.total,
            bounds.upperBound < total ?? .max,
            // The body is missing when a layer has turned the response into an error.
            response.body.length.map({ $0 == bounds.count }) ?? true
        else { return .useless }
        return .rest(range)
    }

    /// Whether the response is of the same representation as the bytes that are there (RFC 9110 §15.3.7.3).
    private func fits(_ response: TransportResponse, _ part: PartialFile) -> Bool {
        guard let validator = part.info?.validator else { return false }
        let name = validator.hasPrefix("\"") ? HTTPField.Name.eTag : .lastModified
        let found = response.head.headerFields[name]
        return found == nil || found == validator
    }

    /// Whether the server applied a content coding, even if the transport has undone it: a range would then count other
    /// bytes than those in the file.
    private func isEncoded(_ response: TransportResponse) -> Bool {
        let coding = response.head.headerFields[.contentEncoding] ?? response.metrics?.contentEncoding
        // `identity` stands for none; a server should not name it (RFC 9110 §8.4.1), and some do.
        return coding.map { $0.lowercased() != "identity" } ?? false
    }

    private func save(
        _ response: TransportResponse, _ part: PartialFile, expected: Int64?, total: Int64?
    ) async throws {
        progress?.begin(completed: part.count, total: total)
        let start = part.count
        do {
            for try await piece in response.body {
                if let expected, Int64(piece.count) > expected - (part.count - start) {
                    throw NetworkClientError(
                        .protocolViolation, "the body has more than the \(expected) bytes that were announced",
                        response: response.head, exchange: response.exchange)
                }
                try part.write(piece)
                progress?.advance(by: piece.count)
            }
        } catch let error as NetworkClientError where error.code == .protocolViolation {
            // There is no telling which of the bytes are right, so none are kept.
            try part.startOver(nil)
            throw error
        } catch let error as NetworkClientError {
            // Errors of the disk know nothing of the response.
            throw response.attached(to: error)
        }
        guard let expected, part.count - start != expected else { return }
        throw NetworkClientError(
            .connectionLost, "the body has \(part.count - start) bytes, and \(expected) were announced",
            response: response.head, exchange: response.exchange)
    }

    private func info(from response: TransportResponse) -> PartialFile.Info {
        PartialFile.Info(url: request.resource, validator: validator(of: response), total: response.body.length)
    }

    /// What makes the download resumable: a strong validator (RFC 9110 §8.8.1), of bytes that are not encoded.
    private func validator(of response: TransportResponse) -> String? {
        let fields = response.head.headerFields
        guard fields[.acceptRanges]?.lowercased() != "none", !isEncoded(response) else { return nil }
        if let tag = fields[.eTag], tag.hasPrefix("\"") { return tag }
        // A date is strong when nothing can have changed in the second that it names (§8.8.2.2).
        guard fields[.eTag] == nil, let text = fields[.lastModified], let modified = HTTPDate.parse(text),
            let date = fields[.date].flatMap({ HTTPDate.parse($0) }), date.timeIntervalSince(modified) >= 1
        else { return nil }
        return text
    }
}
