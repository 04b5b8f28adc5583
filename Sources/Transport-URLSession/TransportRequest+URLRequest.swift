// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
public import StrataCore

#if canImport(FoundationNetworking)
import Foundation
public import FoundationNetworking
#else
public import Foundation
#endif

extension URLRequest {
    /// The same request for Foundation.
    ///
    /// A body in memory becomes `httpBody`; files and streams stay behind. Fields are kept as `URLRequest` can: on Linux their
    /// names are capitalised, and repeats are joined. The idle timeout becomes `timeoutInterval`.
    ///
    /// - Throws: ``NetworkClientError/Code-swift.struct/malformedURL``.
    public init(_ request: TransportRequest) throws {
        guard let url = URL(string: request.url, encodingInvalidCharacters: false) else {
            throw NetworkClientError(.malformedURL, "URLRequest does not accept the request's URL")
        }
        self.init(url: url)
        httpMethod = request.head.method.rawValue
        for (name, value) in RequestTranslation.joined(request.head.headerFields) {
            setValue(value, forHTTPHeaderField: name)
        }
        if !request.body.isEmpty { httpBody = request.body.data }
        if let idle = request.options.timeouts.idle { timeoutInterval = idle / .seconds(1) }
    }
}

extension TransportRequest {
    /// The same request for a transport. `httpBodyStream` is not taken over: give ``body`` a stream instead.
    ///
    /// - Throws: ``NetworkClientError`` with `malformedURL` or `invalidRequest`.
    public init(_ request: URLRequest, options: RequestOptions = RequestOptions()) throws {
        guard let url = request.url else {
            throw NetworkClientError(.malformedURL, "the URLRequest has no URL")
        }
        var fields = HTTPFields()
        for (name, value) in (request.allHTTPHeaderFields ?? [:]).sorted(by: { $0.key < $1.key }) {
            try fields.addValue(value, forName: name)
        }
        try self.init(
            method: Self.method(request.httpMethod ?? "GET"), url: url, headerFields: fields,
            body: request.httpBody.map { .data($0) } ?? .empty, options: options)
    }

    /// The request as a function over `URLRequest` changes it.
    ///
    /// Only what the function changed is taken over, so that field names, repeated fields and bodies that `URLRequest` cannot hold
    /// stay what they were.
    ///
    /// - Throws: ``NetworkClientError`` with `malformedURL` or `invalidRequest`.
    func applying(_ change: (URLRequest) throws -> URLRequest) throws -> TransportRequest {
        let before = try URLRequest(self)
        let after = try change(before)
        var result = self
        var credentials: String?
        if after.url != before.url {
            guard let url = after.url else {
                throw NetworkClientError(.malformedURL, "the interceptor removed the URL")
            }
            let moved = try TransportRequest(url: url)
            result.head.scheme = moved.head.scheme
            result.head.authority = moved.head.authority
            result.head.path = moved.head.path
            credentials = moved.head.headerFields[.authorization]
        }
        if after.httpMethod != before.httpMethod { result.head.method = try Self.method(after.httpMethod ?? "GET") }
        let (old, new) = (before.allHTTPHeaderFields ?? [:], after.allHTTPHeaderFields ?? [:])
        for (name, value) in new.sorted(by: { $0.key < $1.key }) where old[name] != value {
            try result.head.headerFields.setValue(value, forName: name)
        }
        for name in old.keys where new[name] == nil {
            if let name = HTTPField.Name(name) { result.head.headerFields[name] = nil }
        }
        if let credentials, result.head.headerFields[.authorization] == nil {
            result.head.headerFields[.authorization] = credentials
        }
        if after.httpBody != before.httpBody { result.body = after.httpBody.map { .data($0) } ?? .empty }
        if after.timeoutInterval != before.timeoutInterval {
            result.options.timeouts.idle = Duration.limit(seconds: after.timeoutInterval)
        }
        return result
    }

    private static func method(_ text: String) throws -> HTTPRequest.Method {
        guard let method = HTTPRequest.Method(text) else {
            throw NetworkClientError(.invalidRequest, "the method has a character that is not allowed")
        }
        return method
    }
}
