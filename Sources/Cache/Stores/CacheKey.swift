// SPDX-License-Identifier: Apache-2.0

public import StrataCore

/// What stored responses are found by. A store compares keys and takes ``url`` out of them, no more.
public struct CacheKey: Hashable, Sendable {
    /// The absolute URL, query included.
    public let url: String
    /// What tells requests for the same URL apart: the caller's own key, a hash of the credentials, and the codings that the
    /// request accepts. Empty for most.
    public let partition: String

    public init(url: String, partition: String = "") {
        self.url = url
        self.partition = partition
    }
}

extension CacheKey: DumpedAsDescription {
    /// The URL without its query.
    public var description: String { String(url.prefix { $0 != "?" }) }
}
