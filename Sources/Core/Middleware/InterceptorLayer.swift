// SPDX-License-Identifier: Apache-2.0

import HTTPTypes

/// What the interceptor makes of the request, for each attempt; but where a redirect or a link led, it adds no secrets.
struct InterceptorLayer: NetworkMiddleware {
    let interceptor: NetworkConfiguration.Interceptor

    func intercept(_ request: TransportRequest, next: Next) async throws -> TransportResponse {
        var changed = try await interceptor(request)
        if next.call.isForeign(request) { changed.removeSecrets(notIn: request) }
        return try await next(changed)
    }
}

extension TransportRequest {
    /// Leaves what the original has, and no more, of the fields that do not go to another origin.
    fileprivate mutating func removeSecrets(notIn original: TransportRequest) {
        let sensitive = original.options.sensitiveFields.union(options.sensitiveFields)
        for name in sensitive.union(RequestOptions.originBoundFields) {
            let known = original.head.headerFields[fields: name]
            guard head.headerFields[fields: name].contains(where: { !known.contains($0) }) else { continue }
            head.headerFields[fields: name] = known
        }
    }
}
