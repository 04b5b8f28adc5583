// SPDX-License-Identifier: Apache-2.0

public import StrataCore
import StrataEncoding

public import Foundation

extension Request {
    /// The request as it goes down a client's pipeline, without sending it.
    ///
    /// - Parameter client: `nil` is the one that the request would be sent through.
    /// - Throws: ``StrataCore/NetworkClientError`` with `malformedURL`, `invalidRequest` or `encodingFailed`.
    public func makeTransportRequest(client: (any NetworkClientProtocol)? = nil) throws -> TransportRequest {
        try resolvedClient(client, session: nil).makeTransportRequest(networkRequest())
    }

    /// The request in the vocabulary of ``StrataCore/NetworkClientProtocol``, for its `run`, `open`, `events` and so on.
    ///
    /// - Parameter acceptableStatus: `nil` is what ``Configuration-swift.struct/parseHTTPStatusErrors`` says.
    /// - Throws: ``StrataCore/NetworkClientError`` with `malformedURL`, `invalidRequest` or `encodingFailed`.
    public func networkRequest(
        acceptableStatus: StatusPolicy? = nil
    ) throws -> NetworkRequest<RequestBody, VoidResponse> {
        let url = try urlText()
        _ = try RequestURL(url)  // a URL that is not absolute would be appended to the client's base URL
        let body = try properties.body.requestBody()
        var fields = try properties.headers.httpFields()
        if let contentType = properties.body.contentType,
            NetworkConfiguration.isSent(contentType, unless: fields[.contentType])
        {
            fields[.contentType] = contentType
        }
        if fields[.cacheControl] == nil, let directives = configuration.cacheDirectives {
            fields[.cacheControl] = directives
        }
        let (configuration, change) = (configuration, options)
        return NetworkRequest(
            path: url, method: httpMethod, body: body.isEmpty ? nil : body, decoder: decoder, headerFields: fields
        ) { options in
            options.acceptableStatus =
                acceptableStatus ?? (configuration.parseHTTPStatusErrors ? .ranges(100..<400) : .any)
            if let timeout = configuration.timeout {
                let limit = Duration.limit(seconds: timeout)
                options.timeouts.connect = limit
                options.timeouts.idle = limit
            }
            change?(&options)
        }
    }

    /// Where the request goes, query included. The base URL when that cannot be made into one; sending then fails.
    public var url: URL {
        guard let text = try? urlText() else { return baseURL }
        return URL(string: text) ?? baseURL
    }

    /// The request as Foundation sees it: URL, method, fields, a body that is in memory, and the whole configuration.
    ///
    /// Fields that cannot go on the wire are left out; sending such a request fails.
    public var urlRequest: URLRequest {
        var request = URLRequest(
            url: url, cachePolicy: configuration.cachePolicy, timeoutInterval: configuration.timeoutInterval)
        request.httpMethod = httpMethod.rawValue
        for field in properties.headers.fields where (try? Headers(headers: [field]).httpFields()) != nil {
            request.setValue(field.value, forHTTPHeaderField: field.name)
        }
        let typeName = Header.Name.contentType.rawValue
        if let contentType = properties.body.contentType,
            NetworkConfiguration.isSent(contentType, unless: request.value(forHTTPHeaderField: typeName))
        {
            request.setValue(contentType, forHTTPHeaderField: typeName)
        }
        request.httpBody = body
        configuration.apply(to: &request)
        return request
    }

    /// The request as a command line for a shell, secrets masked unless told otherwise.
    ///
    /// - `client`: `nil` is the one that the request would be sent through; its default fields are part of it.
    /// - Throws: as ``makeTransportRequest(client:)``.
    public func curlCommand(maskingSecrets: Bool = true, client: (any NetworkClientProtocol)? = nil) throws -> String {
        try makeTransportRequest(client: client).curlCommand(maskingSecrets: maskingSecrets)
    }
}

extension Request.Configuration {
    /// The `Cache-Control` that tells caches of the policy (RFC 9111 §5.2.1).
    var cacheDirectives: String? {
        switch cachePolicy {
        case .reloadIgnoringLocalCacheData, .reloadIgnoringLocalAndRemoteCacheData, .reloadRevalidatingCacheData:
            "no-cache"
        case .returnCacheDataElseLoad: "max-stale"
        case .returnCacheDataDontLoad: "max-stale, only-if-cached"
        default: nil
        }
    }

    func apply(to request: inout URLRequest) {
        request.allowsCellularAccess = allowsCellularAccess
        setPipelining(of: &request)
        request.networkServiceType = networkServiceType
        request.httpShouldHandleCookies = httpShouldHandleCookies
        #if !canImport(FoundationNetworking)
        request.allowsConstrainedNetworkAccess = allowsConstrainedNetworkAccess
        request.allowsExpensiveNetworkAccess = allowsExpensiveNetworkAccess
        #endif
    }
}

extension Request.Configuration {
    private func setPipelining(of request: inout some Pipelining) {
        request.httpShouldUsePipelining = httpShouldUsePipelining
    }
}

/// The setting is deprecated on some platforms. It is passed on all the same, without a warning on each use.
private protocol Pipelining {
    var httpShouldUsePipelining: Bool { get set }
}

extension URLRequest: Pipelining {}
