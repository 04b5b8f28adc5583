// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes

extension HTTPRequest.Method {
    /// Whether the request may be repeated: RFC 9110 §9.2.2 and the IANA HTTP method registry, column "idempotent". Methods
    /// are case-sensitive.
    package var isIdempotent: Bool {
        switch self {
        case .get, .head, .put, .delete, .options, .trace: true
        case .post, .patch, .connect: false
        default: Self.otherIdempotent.contains(rawValue)
        }
    }

    private static let otherIdempotent: Set<String> = [
        "ACL", "BASELINE-CONTROL", "BIND", "CHECKIN", "CHECKOUT", "COPY", "LABEL", "LINK", "MERGE", "MKACTIVITY",
        "MKCALENDAR", "MKCOL", "MKREDIRECTREF", "MKWORKSPACE", "MOVE", "ORDERPATCH", "PROPFIND", "PROPPATCH", "QUERY",
        "REBIND", "REPORT", "SEARCH", "UNBIND", "UNCHECKOUT", "UNLINK", "UNLOCK", "UPDATE", "UPDATEREDIRECTREF",
        "VERSION-CONTROL",
    ]

    /// Whether a response with this status code has content, whatever its fields say: none to HEAD has, and none with
    /// 1xx, 204 or 304 (RFC 9110 §6.4.1).
    package func responseHasContent(status: Int) -> Bool {
        self != .head && !(100..<200).contains(status) && status != 204 && status != 304
    }

    /// Whether a missing body is worth a `Content-Length: 0` (RFC 9110 §8.6).
    package var expectsContent: Bool { self == .post || self == .put || self == .patch }
}

extension HTTPField.Name {
    /// A name that is written in the source.
    package static func known(_ name: StaticString) -> HTTPField.Name {
        guard let known = HTTPField.Name("\(name)") else { preconditionFailure("\(name) is not a field name") }
        return known
    }

    package static let lastEventID = known("Last-Event-ID")
    static let host = known("Host")

    /// Whether the transport writes the field itself: a length or framing that disagrees with the body would let one request
    /// pass for two.
    package var isFraming: Bool { self == .contentLength || self == .transferEncoding }
}

extension HTTPResponse.Status {
    /// Whether there is no body that could have a type (RFC 9110 §15.3.5, §15.3.6).
    package var hasNoContent: Bool { self == .noContent || self == .resetContent }

    /// Whether it redirects to a `Location` by itself; 300 and 304 do not (RFC 9110 §15.4).
    package var isRedirect: Bool {
        switch code {
        case 301, 302, 303, 307, 308: true
        default: false
        }
    }
}
