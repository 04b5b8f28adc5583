// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import StrataCore

/// What a `Content-Type` says, without its parameters (RFC 9110 §8.3.1); of several the last that says something.
struct MediaType: Hashable {
    /// `type/subtype` in lower case.
    let essence: String

    /// `nil` when there is no type and no subtype.
    init?(_ contentType: String?) {
        guard let contentType else { return nil }
        let type = HTTPFields.lastMediaType(in: contentType)
        let essence = type.prefix { $0 != ";" }.filter { $0 != " " && $0 != "\t" }.lowercased()
        let parts = essence.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, parts.allSatisfy({ !$0.isEmpty }) else { return nil }
        self.essence = essence
    }

    /// What follows the plus sign: `json` in `application/problem+json` (RFC 6838 §4.2.8).
    var suffix: String? {
        essence.lastIndex(of: "+").map { String(essence[essence.index(after: $0)...]) }
    }
}
