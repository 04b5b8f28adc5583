// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import StrataCore

#if canImport(FoundationNetworking)
import Foundation
import FoundationNetworking
#else
import Foundation
#endif

/// From the transport's request to `URLRequest`, as it goes on the wire.
enum RequestTranslation {
    /// The request without its body.
    ///
    /// - Parameter sessionFields: what a request gets that has no such field; see ``fields(of:)``.
    /// - Throws: ``NetworkClientError`` with `malformedURL`, or with `unsupportedByTransport` for what the backend would
    ///   not survive.
    static func urlRequest(
        for request: TransportRequest, sessionFields: HTTPFields = [:]
    ) throws -> URLRequest {
        guard let url = URL(string: request.url, encodingInvalidCharacters: false), url.host() != nil else {
            throw NetworkClientError(.malformedURL, "URLSession does not accept the request's URL")
        }
        if Platform.failsOnIPv6Addresses, request.head.authority?.contains("[") == true {
            throw NetworkClientError(
                .unsupportedByTransport,
                "URLSession on this platform takes no IPv6 address in a URL; CurlTransport (module StrataCurl) does")
        }
        var result = URLRequest(url: url)
        result.httpMethod = request.head.method.rawValue
        result.timeoutInterval = Platform.forever
        result.httpShouldHandleCookies = false
        let fields = request.head.headerFields + missing(sessionFields, in: request)
        for (name, value) in joined(fields) { result.setValue(value, forHTTPHeaderField: name) }
        let named = Set(fields.map(\.name))
        if Platform.failsOnTrailers, named.contains(.te) {
            throw NetworkClientError(
                .unsupportedByTransport,
                "URLSession on this platform does not survive trailers, which the field TE asks for; CurlTransport (module StrataCurl) does"
            )
        }
        for name in Platform.suppressibleFields where !named.contains(name) {
            result.setValue(Platform.suppressedValue, forHTTPHeaderField: name.rawName)
        }
        if request.body.isEmpty, !request.head.method.expectsContent,
            Platform.suppressibleFields.contains(.contentType)
        {
            result.setValue(Platform.suppressedValue, forHTTPHeaderField: HTTPField.Name.contentLength.rawName)
        }
        return result
    }

    /// The fields that a session with this configuration has for its requests.
    static func fields(of configuration: URLSessionConfiguration) -> HTTPFields {
        var fields: HTTPFields = [:]
        for (name, value) in configuration.httpAdditionalHeaders ?? [:] {
            guard let name = (name as? String).flatMap({ HTTPField.Name($0) }), let value = value as? String else {
                continue
            }
            fields[name] = value
        }
        return fields
    }

    /// The session's fields that the request does not have. Secrets among them go to the client's own server alone, and
    /// not with a request that must have none. URLSession itself would add them everywhere.
    private static func missing(_ sessionFields: HTTPFields, in request: TransportRequest) -> HTTPFields {
        if sessionFields.isEmpty { return sessionFields }
        return request.options.additions(
            to: request.head.headerFields, from: sessionFields, isAtHome: request.isAtHome)
    }

    /// Fields as a dictionary can hold them: repeats joined, framing left to the backend. Without those for a proxy, which would
    /// reach the server when there is no proxy, or a tunnel through it.
    static func joined(_ fields: HTTPFields) -> [(name: String, value: String)] {
        var order: [HTTPField.Name] = []
        var values: [HTTPField.Name: [String]] = [:]
        for field in fields where !field.name.isFraming && field.name != .proxyAuthorization {
            if values[field.name] == nil { order.append(field.name) }
            values[field.name, default: []].append(field.value)
        }
        return order.map { name in
            // RFC 9110 §5.3; RFC 6265 §5.4 for the one field that joins otherwise.
            (name.rawName, values[name, default: []].joined(separator: name == .cookie ? "; " : ", "))
        }
    }
}
