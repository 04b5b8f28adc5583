// SPDX-License-Identifier: Apache-2.0

/// What happens when a server answers with a redirect.
public struct RedirectPolicy: Hashable, Sendable {
    /// How many redirects one call follows at most; with 0 every redirect is returned to the caller. Default: 20.
    public var limit: Int
    /// Whether a redirect from `https` to `http` is followed. Default: no; the call fails with
    /// ``NetworkClientError/Code-swift.struct/invalidRedirect``.
    public var allowsDowngrade: Bool
    /// Whether a POST stays a POST on 301 and 302, against common practice (RFC 9110 §15.4.2). Default: no, it becomes a GET.
    public var preservesPOST: Bool

    public init(limit: Int = 20, allowsDowngrade: Bool = false, preservesPOST: Bool = false) {
        self.limit = limit
        self.allowsDowngrade = allowsDowngrade
        self.preservesPOST = preservesPOST
    }

    /// Up to 20 redirects, none of them from `https` to `http`.
    public static let follow = RedirectPolicy()
    /// The redirect itself is the response, a success unless ``RequestOptions/acceptableStatus`` was set otherwise.
    public static let manual = RedirectPolicy(limit: 0)
}
