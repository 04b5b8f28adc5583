// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
public import StrataCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Sends the cookies that servers have set, by the rules of RFC 6265bis.
///
///     configuration.middleware = [RetryMiddleware(), CookieMiddleware()]
///
/// The cookies of every response count: of refused, redirected and repeated ones too. A `Cookie` field of the request's own is
/// kept and completed: of two cookies with the same name, the request's own is sent. A request that is exempt from
/// authentication gets none.
///
/// Place: inside redirects and inside whatever repeats requests, so that each hop and each attempt has the cookies of its
/// moment; outside of a cache, which tells users apart by their cookies.
public struct CookieMiddleware: NetworkMiddleware {
    package let jar: CookieJar

    /// - `jar`: of this client alone, unless clients are to share a session. By default a new one in memory.
    public init(_ jar: CookieJar = CookieJar()) { self.jar = jar }

    @_documentation(visibility: internal)
    public var placement: MiddlewarePlacement {
        MiddlewarePlacement(
            role: .cookies,
            rules: [
                .inside(.redirects, because: "cookies would be chosen for the first hop alone"),
                .insideRepeats(because: "a later attempt would lack the cookies that the one before it was given"),
                .inside(.urlDecoration, because: "cookies would be chosen for another URL than the one sent"),
                .once(because: "both would send the same cookies"),
            ])
    }

    @_documentation(visibility: internal)
    public func intercept(_ request: TransportRequest, next: Next) async throws -> TransportResponse {
        guard let origin = request.origin else { return try await next(request) }
        let scope = jar.scope(of: origin, path: request.head.path)
        let clock = request.call?.clock ?? SystemClock()
        var completed = request
        if !request.options.isAuthenticationExempt {
            completed.head.headerFields.add(jar.cookies(for: scope, now: clock.date))
        }
        let response = try await next(completed)
        // What a cache answers with has set its cookies when it came; they may have been replaced since.
        if case .cache(let answer)? = request.call?.served, answer != .revalidated { return response }
        // The innermost layers may have sent the request elsewhere.
        if let head = response.request, let origin = Origin(scheme: head.scheme, authority: head.authority) {
            receive(response, from: jar.scope(of: origin, path: head.path), clock)
        } else {
            receive(response, from: scope, clock)
        }
        return response
    }

    private func receive(_ response: TransportResponse, from scope: CookieScope, _ clock: any NetworkClock) {
        guard response.head.headerFields.contains(.setCookie) else { return }
        jar.receive(response.head.headerFields, from: scope, now: clock.date)
    }
}

extension HTTPFields {
    /// Adds cookies, each as a field of its own; transports join them. None whose name a cookie of the request has.
    fileprivate mutating func add(_ cookies: [Cookie]) {
        guard !cookies.isEmpty else { return }
        let own = Set(self[fields: .cookie].flatMap(\.cookieNames))
        for cookie in cookies where !own.contains(cookie.nameBytes) {
            let name = cookie.nameBytes.isEmpty ? [] : cookie.nameBytes + [UInt8(ascii: "=")]
            append(HTTPField(name: .cookie, value: name + cookie.valueBytes))
        }
    }
}

extension HTTPField {
    /// The names in a `Cookie` field.
    fileprivate var cookieNames: [[UInt8]] {
        withUnsafeBytesOfValue { bytes in
            bytes.split(separator: UInt8(ascii: ";")).map { pair in
                Array(pair.prefix { $0 != UInt8(ascii: "=") }.trimmingBlanks)
            }
        }
    }
}
