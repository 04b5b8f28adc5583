// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import StrataCore

#if canImport(FoundationNetworking)
import Foundation
import FoundationNetworking
#else
import Foundation
#endif

/// From `HTTPURLResponse` to the transport's response.
enum ResponseTranslation {
    /// Status and fields. Fields that the backend has merged stay merged, except for `Set-Cookie` and `Location`, which are
    /// split.
    static func head(of response: HTTPURLResponse) -> HTTPResponse {
        var fields = HTTPFields()
        for (name, value) in response.allHeaderFields {
            guard let text = name as? String, let name = HTTPField.Name(text) else { continue }
            let value = value as? String ?? "\(value)"
            if name == .setCookie {
                for cookie in SetCookieList.split(value) { fields.append(HTTPField(name: name, value: cookie)) }
            } else if name == .location {
                for location in locations(value) { fields.append(HTTPField(name: name, value: location)) }
            } else {
                fields.append(HTTPField(name: name, value: value))
            }
        }
        return HTTPResponse(status: .init(code: response.statusCode), headerFields: fields)
    }

    /// Splits several `Location` fields that the backend has joined, which would be read as one target. A URI has no
    /// blank in it.
    private static func locations(_ text: String) -> [String] {
        let parts = text.components(separatedBy: ", ")
        let areTargets = parts.dropFirst().allSatisfy { $0.hasPrefix("/") || $0.lowercased().hasPrefix("http") }
        return areTargets ? parts : [text]
    }

    /// The response that the caller gets. Fields that do not describe the decoded body are moved from the head to the
    /// metrics.
    ///
    /// - Throws: ``NetworkClientError`` with `protocolViolation` when the length is not a number. The body has not been
    ///   touched then.
    static func response(
        head: HTTPResponse, to method: HTTPRequest.Method, body: any BodySource, firstByte: Duration
    ) throws -> TransportResponse {
        var head = head
        var metrics = TransportMetrics()
        metrics.firstByte = firstByte
        guard method.responseHasContent(status: head.status.code) else {
            return TransportResponse(head: head, body: ResponseBody(length: 0, source: body), metrics: metrics)
        }
        var length = try contentLength(of: head)
        if let coding = head.headerFields[.contentEncoding], Platform.decodes(coding) {
            metrics.contentEncoding = coding
            metrics.contentLength = length
            head.headerFields[.contentEncoding] = nil
            head.headerFields[.contentLength] = nil
            length = nil
        } else if let coding = head.headerFields[.contentEncoding], coding.lowercased() != "identity" {
            // Decoded or not: a newer system may know more codings.
            length = nil
        }
        return TransportResponse(
            head: head, body: ResponseBody(length: length, source: body), metrics: metrics
        )
    }

    /// RFC 9112 §6.3: digits alone, and the same in each repetition. Backends go on with whatever they make of others.
    private static func contentLength(of head: HTTPResponse) throws -> Int64? {
        guard head.headerFields[.transferEncoding] == nil, let text = head.headerFields[.contentLength] else {
            return nil
        }
        let lengths = text.split(separator: ",", omittingEmptySubsequences: false).map { part -> Int64? in
            let words = part.split(separator: " ")
            guard words.count == 1, words[0].utf8.allSatisfy(\.isDigit) else { return nil }
            return Int64(words[0])
        }
        guard let first = lengths.first, let length = first, lengths.allSatisfy({ $0 == length }) else {
            throw NetworkClientError(
                .protocolViolation, "the response's Content-Length is not a number, or several that differ",
                response: head)
        }
        return length
    }
}
