// SPDX-License-Identifier: Apache-2.0

/// What becomes of a second field of the same name.
enum FieldCombination {
    /// What joins the two; `nil` when the second replaces the first.
    ///
    /// RFC 9110 §5.3 allows a comma for fields that are defined as lists. Of names that no specification lists here,
    /// a list is assumed.
    static func separator(forName name: String) -> String? {
        switch name.lowercased() {
        case let name where single.contains(name): nil
        case "cookie": "; "  // RFC 6265 §5.4: a request has one
        default: ","
        }
    }

    private static let single: Set<String> = [
        // RFC 9110
        "authorization", "content-length", "content-location", "content-range", "content-type", "date", "from", "host",
        "if-modified-since", "if-range", "if-unmodified-since", "last-modified", "location", "max-forwards",
        "proxy-authorization", "range", "referer", "retry-after", "user-agent",
        // RFC 6266, RFC 6454, RFC 6585 and the Fetch, HTML and Trace Context standards
        "access-control-request-method", "content-disposition", "last-event-id", "origin", "sec-fetch-dest",
        "sec-fetch-mode", "sec-fetch-site", "traceparent", "upgrade-insecure-requests",
        // Common practice: keys and identifiers
        "apikey", "api-key", "dpop", "idempotency-key", "x-api-key", "x-auth-token", "x-correlation-id", "x-csrf-token",
        "x-http-method-override", "x-request-id", "x-requested-with", "x-xsrf-token",
    ]
}
