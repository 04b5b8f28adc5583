// SPDX-License-Identifier: Apache-2.0

import HTTPTypes

/// Follows redirects (RFC 9110 §15.4), each as an exchange of its own.
///
/// 301 and 302 turn a POST into a GET, 303 turns everything but HEAD into a GET without a body, 307 and 308 keep method and
/// body. 300, 304, 305 and 306 are handed up, as is a redirect whose `Location` is missing or empty.
/// ``RequestOptions/redirects`` sets the limits.
///
/// When scheme, host or port change, `Authorization`, `Cookie`, `Proxy-Authorization`, `Origin`, a `Host` of the caller's own,
/// the fields marked sensitive and those with the name of a secret, such as `X-API-Key`, are dropped for the rest of the call, and
/// ``NetworkConfiguration/interceptor`` cannot set them there. Credentials in a `Location` are not used; when it has some, `Authorization` is dropped.
///
/// Place: outermost except for logging, which is where it is put when the list does not name it. What stands outside of it sees
/// one exchange; what stands inside sees each hop.
///
/// - Throws: ``NetworkClientError/Code-swift.struct/tooManyRedirects``, `invalidRedirect` (a target that is not
///   `http`/`https`, malformed, ambiguous, or a refused step from https to http), `bodyNotReplayable`.
public struct RedirectMiddleware: NetworkMiddleware {
    public init() {}

    @_documentation(visibility: internal)
    public var placement: MiddlewarePlacement {
        MiddlewarePlacement(
            role: .redirects,
            rules: [
                .outside(.authentication, because: "credentials would be put on a hop to another origin"),
                .outside(.cookies, because: "cookies would be chosen for the first hop alone"),
                .once(because: "the inner one follows, the outer one never sees a redirect"),
            ])
    }

    public func intercept(_ request: TransportRequest, next: Next) async throws -> TransportResponse {
        let response = try await next(request)
        guard request.options.redirects.limit > 0, response.head.status.isRedirect else { return response }
        return try await follow(response, to: request, next: next)
    }

    // A function of its own: few responses are redirects, and for the others the task needs no memory for it.
    @inline(never)
    private func follow(
        _ first: TransportResponse, to request: TransportRequest, next: Next
    ) async throws -> TransportResponse {
        var (request, response) = (request, first)
        request.call?.adopt(&response, for: request)
        let policy = request.options.redirects
        let home = request.origin
        var followed = 0
        while response.head.status.isRedirect,
            let (target, dropped) = try Self.nextRequest(after: response.head, to: request, policy: policy)
        {
            guard followed < policy.limit else {
                response.body.cancel()
                throw NetworkClientError(
                    .tooManyRedirects, "more than \(policy.limit) redirects", response: response.head,
                    exchange: response.exchange)
            }
            followed += 1
            await response.body.discard()
            request = target
            if let origin = target.origin, origin != home { request.call?.markForeign(origin) }
            request.call?.nextAttempt(.redirect(status: response.head.status.code, dropped: dropped))
            let attempts = request.call?.attemptCount ?? 0
            response = try await next(request)
            request.call?.adopt(&response, for: request, after: attempts)
        }
        return response
    }

    /// Where a redirect leads; `nil` when that is nowhere.
    private static func target(
        of response: HTTPResponse, to request: TransportRequest, policy: RedirectPolicy
    ) throws -> RequestURL? {
        let locations = Set(response.headerFields[fields: .location].map(Self.location))
        guard let location = locations.first.map({ String(Substring($0.utf8.trimmingBlanks)) }) else { return nil }
        func refusal(_ message: String, _ cause: (any Error)? = nil) -> NetworkClientError {
            NetworkClientError(
                .invalidRedirect, message, response: response, exchange: request.call?.record, cause: cause)
        }
        guard locations.count == 1 else { throw refusal("the redirect names several targets") }
        // By RFC 3986 an empty reference is the request's own URL. Following it would go round until the limit.
        if location.isEmpty { return nil }

        let target: RequestURL
        do {
            target = try RequestURL(
                URLReference(request.url).resolving(URLReference(location)), ignoresCredentials: true)
        } catch {
            throw refusal("the redirect's target cannot be followed: \(error.message)", error)
        }
        if request.head.scheme == "https", target.scheme == "http", !policy.allowsDowngrade {
            throw refusal("the redirect leads from https to http")
        }
        return target
    }

    /// The request that a redirect asks for, and the fields that it leaves behind; `nil` when there is nowhere to go.
    private static func nextRequest(
        after response: HTTPResponse, to request: TransportRequest, policy: RedirectPolicy
    ) throws -> (TransportRequest, dropped: [String])? {
        guard let target = try Self.target(of: response, to: request, policy: policy) else { return nil }
        var redirected = request
        redirected.head.scheme = target.scheme
        redirected.head.authority = target.authority
        redirected.head.path = target.target
        // The server has named the target: it is made of no template of the caller's.
        redirected.options.urlTemplate = nil
        var dropped: [String] = []
        func drop(_ names: [HTTPField.Name]) {
            for name in names where redirected.head.headerFields[name] != nil {
                redirected.head.headerFields[name] = nil
                dropped.append(name.canonicalName)
            }
        }
        let status = response.status.code
        let method = Self.method(after: status, request.head.method, policy: policy)
        // 303 leads to something else, to be retrieved (RFC 9110 §15.4.4): nothing is sent there.
        if method != request.head.method || status == 303 {
            redirected.head.method = method
            redirected.body = .empty
            drop(Self.contentFields + Self.digestFields)
        } else if !request.body.isReplayable {
            throw NetworkClientError(
                .bodyNotReplayable, "the redirect keeps the body, which can be sent only once", response: response,
                exchange: request.call?.record)
        }
        if redirected.origin != request.origin {
            drop(request.options.originBoundNames(in: redirected.head.headerFields))
        } else if target.userinfo != nil {
            // The server names other credentials for the target, so that those of the request are not meant for it.
            drop([.authorization])
        }
        return (redirected, dropped)
    }

    /// The value of a `Location`. Bytes that are not ASCII are escaped, since they need not be UTF-8.
    private static func location(_ field: HTTPField) -> String {
        var output: [UInt8] = []
        field.withUnsafeBytesOfValue { bytes in
            for byte in bytes {
                if byte < 0x80 { output.append(byte) } else { PercentEncoding.appendEscape(of: byte, to: &output) }
            }
        }
        return String(decoding: output, as: UTF8.self)
    }

    private static func method(after status: Int, _ method: HTTPMethod, policy: RedirectPolicy) -> HTTPMethod {
        switch status {
        case 301, 302: method == .post && !policy.preservesPOST ? .get : method
        case 303: method == .head ? .head : .get
        default: method
        }
    }

    /// What describes a body (RFC 9110 §15.4, RFC 9530).
    private static let contentFields: [HTTPField.Name] = [
        .contentType, .contentLength, .contentEncoding, .contentLanguage, .contentLocation, .contentRange,
        .contentDisposition, .transferEncoding, .expect, .lastModified,
    ]

    private static let digestFields: [HTTPField.Name] = [
        .known("Digest"), .known("Content-Digest"), .known("Repr-Digest"), .known("Content-MD5"),
    ]
}
