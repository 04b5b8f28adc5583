// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import StrataCore

/// What the cache says in the field `Cache-Status` (RFC 9211).
struct CacheStatus: Sendable {
    /// Why a request went to the server (§2.2).
    enum Forward: String, Sendable {
        case bypass, method, request, stale
        case uriMiss = "uri-miss"
    }

    private var parameters: [String]
    var isStored = false

    init(forwarded reason: Forward, status: Int? = nil) {
        parameters = ["fwd=\(reason.rawValue)"]
        if let status { parameters.append("fwd-status=\(status)") }
    }

    /// - Parameter ttl: the seconds for which the response is still fresh.
    init(served answer: ExchangeRecord.CacheAnswer, ttl: Int = 0) {
        parameters =
            switch answer {
            case .hit, .stale: ["hit", "ttl=\(ttl)"]
            case .revalidated: ["fwd=stale", "fwd-status=304", "stored", "ttl=\(ttl)"]
            case .collapsed: ["fwd=uri-miss", "collapsed"]
            default: ["detail=only-if-cached"]
            }
    }

    /// Behind what caches further away have said (§2).
    func write(into head: inout HTTPResponse, _ options: CacheOptions) {
        guard let name = options.cacheStatusName else { return }
        let parameters = parameters + (isStored ? ["stored"] : [])
        let text = ([Self.item(name)] + parameters).joined(separator: "; ")
        head.headerFields.append(HTTPField(name: .cacheStatus, value: text))
    }

    /// A token, or a string where the name is none (RFC 8941 §3.3).
    private static func item(_ name: String) -> String {
        let isToken = name.utf8.first.map { $0.isLetter } ?? false
        if isToken, name.utf8.allSatisfy({ $0.isTokenCharacter || $0 == UInt8(ascii: ":") }) { return name }
        let kept = name.unicodeScalars.filter { (0x20...0x7E).contains($0.value) }
        return "\"" + kept.map { $0 == "\"" || $0 == "\\" ? "\\\($0)" : String($0) }.joined() + "\""
    }
}
