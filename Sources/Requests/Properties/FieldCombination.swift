// SPDX-License-Identifier: Apache-2.0

import StrataCore

/// Whether a second field of the same name joins the first or replaces it.
enum FieldCombination {
    /// The text that joins the two values; `nil` when the second replaces the first.
    ///
    /// RFC 9110 §5.3 allows a comma for fields that are defined as lists. A name that is not listed here is taken for a
    /// list, unless it is that of a secret or a version.
    static func separator(forName name: String) -> String? {
        let name = name.lowercased()
        if name == "cookie" { return "; " }  // RFC 6265 §5.4: a request has one
        if lists.contains(name) { return "," }
        let hasOneValue =
            single.contains(name) || name.hasPrefix("sec-fetch-") || SecretNames.isSecret(name)
            || ["version", "maxversion"].contains(name.split(separator: "-").last ?? "")
        return hasOneValue ? nil : ","
    }

    /// RFC 9421: dictionaries, though their names are those of secrets.
    private static let lists: Set<String> = [
        "accept-signature", "signature", "signature-agent", "signature-input",
    ]

    private static let single: Set<String> = [
        // RFC 9110
        "authorization", "content-length", "content-location", "content-range", "content-type", "date", "from", "host",
        "if-modified-since", "if-range", "if-unmodified-since", "last-modified", "location", "max-forwards",
        "proxy-authorization", "range", "referer", "retry-after", "user-agent",
        // RFC 1864, RFC 5023, RFC 6266, RFC 6454, RFC 6455, RFC 7089, RFC 8470
        "accept-datetime", "content-disposition", "content-md5", "early-data", "origin", "sec-websocket-key", "slug",
        // RFC 4918; its Timeout is a list
        "depth", "destination", "if", "lock-token", "overwrite",
        // The Fetch, HTML, Trace Context and Global Privacy Control standards, SOAP
        "access-control-request-method", "last-event-id", "sec-gpc", "soapaction", "traceparent",
        "upgrade-insecure-requests",
        // Common practice
        "dnt", "dpop", "idempotency-key", "x-correlation-id", "x-http-method-override", "x-request-id",
        "x-requested-with",
    ]
}
