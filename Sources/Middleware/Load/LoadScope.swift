// SPDX-License-Identifier: Apache-2.0

public import StrataCore

/// Which requests a limit or a breaker takes together.
///
/// Of 1024 origins or keys, or of twice as many as have something under way, half of those that have nothing under way are forgotten:
/// what was used the longest ago first, and open circuits last.
public struct LoadScope: Sendable {
    enum Kind: Sendable {
        case client
        case origin
        case key(@Sendable (TransportRequest) -> String)
    }

    let kind: Kind

    /// All requests that pass the layer, also those of other clients that have a copy of it.
    public static let client = LoadScope(kind: .client)
    /// Those to one origin.
    public static let origin = LoadScope(kind: .origin)
    /// Those with one key: a tenant, or a group of endpoints.
    ///
    ///     ConcurrencyLimitMiddleware(4, per: .key { $0.options[TenantKey.self] ?? "" })
    public static func key(_ key: @escaping @Sendable (TransportRequest) -> String) -> LoadScope {
        LoadScope(kind: .key(key))
    }

    /// The key of a request, where there are keys. Runs the caller's code: outside of all locks.
    func key(of request: TransportRequest) -> String? {
        if case .key(let key) = kind { key(request) } else { nil }
    }
}
