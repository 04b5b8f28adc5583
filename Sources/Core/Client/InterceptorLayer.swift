// SPDX-License-Identifier: Apache-2.0

import HTTPTypes

/// Hands each attempt to the configuration's interceptor. At an origin where a redirect or a link led, the secrets that
/// the interceptor adds are removed again.
struct InterceptorLayer: NetworkMiddleware {
    let interceptor: NetworkConfiguration.Interceptor

    func intercept(_ request: TransportRequest, next: Next) async throws -> TransportResponse {
        var changed = try await interceptor(request)
        if next.call.destination(of: request) == .foreign { changed.removeSecrets(notIn: request) }
        return try await next(changed)
    }
}

extension TransportRequest {
    /// Removes the fields that must not go to another origin, except for those that `original` has.
    fileprivate mutating func removeSecrets(notIn original: TransportRequest) {
        let names = Set(head.headerFields.map(\.name))
        for name in names where original.options.isOriginBound(name) || options.isOriginBound(name) {
            let known = original.head.headerFields[fields: name]
            guard head.headerFields[fields: name].contains(where: { !known.contains($0) }) else { continue }
            head.headerFields[fields: name] = known
        }
    }
}
