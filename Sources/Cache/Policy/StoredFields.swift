// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import StrataCore

extension HTTPFields {
    /// The fields without those of the connection and of proxies (RFC 9111 §3.1), and without those that `no-cache` names,
    /// which need the server's confirmation (§5.2.2.4).
    var storable: HTTPFields {
        var removed = Self.ofConnections
        for option in self[fields: .connection].flatMap({ $0.value.split(separator: ",") }) {
            if let name = HTTPField.Name(String(Substring(option.utf8.trimmingBlanks))) { removed.insert(name) }
        }
        if let names = CacheDirectives(self).value(of: "no-cache") {
            for name in names.split(separator: ",") {
                if let name = HTTPField.Name(String(Substring(name.utf8.trimmingBlanks))) { removed.insert(name) }
            }
        }
        return filter { !removed.contains($0.name) }
    }

    /// The stored fields, with those of a 304 or of a response to HEAD in their places (§3.2).
    func updated(with fields: HTTPFields) -> HTTPFields {
        let update = fields.storable.filter { !Self.ofStoredBody.contains($0.name) }
        let names = Set(update.map(\.name))
        var updated = filter { !names.contains($0.name) }
        updated.append(contentsOf: update)
        return updated
    }

    private static let ofConnections: Set<HTTPField.Name> = [
        .connection, .known("Keep-Alive"), .proxyAuthenticate, .known("Proxy-Authentication-Info"),
        .proxyAuthorization, .known("Proxy-Connection"), .te, .trailer, .transferEncoding, .upgrade,
    ]

    /// What describes the body as it is stored: a transport has decoded it.
    private static let ofStoredBody: Set<HTTPField.Name> = [.contentEncoding, .contentLength, .contentRange]
}

extension HTTPField.Name {
    static let cacheStatus = known("Cache-Status")
}
