// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
import StrataCore
import StrataEncoding

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What has to be the same in a request and in an entry of a cassette, so that the entry answers the request.
///
///     CassetteTransport(cassette, matching: [.method, .path, .query(ignoring: ["nonce"]), .fields([.accept]), .body(.json)])
///
/// Secrets are masked in both: two values of one secret are the same.
public struct RequestMatcher: Sendable {
    let difference: @Sendable (_ recorded: AskedRequest, _ asked: AskedRequest) -> String?
    var comparesPath = false
    var comparesMethod = false

    init(_ difference: @escaping @Sendable (_ recorded: AskedRequest, _ asked: AskedRequest) -> String?) {
        self.difference = difference
    }

    /// A comparison of your own. Bodies that are larger than 1 MiB are empty in the requests that it gets.
    ///
    /// - `difference`: what differs, in words for an error and without secrets; `nil` when the entry fits.
    public init(
        difference: @escaping @Sendable (_ recorded: RecordedRequest, _ asked: RecordedRequest) -> String?
    ) {
        self.init { difference($0.recorded, $1.recorded) }
    }

    /// Method, URL and body.
    public static let standard: [RequestMatcher] = [.method, .url, .body]

    public static let method: RequestMatcher = {
        var matcher = RequestMatcher { recorded, asked in
            Self.difference("the method", recorded.recorded.method.rawValue, asked.recorded.method.rawValue)
        }
        matcher.comparesMethod = true
        return matcher
    }()

    /// Scheme, host, port, path and query.
    public static let url: RequestMatcher = {
        var matcher = RequestMatcher { recorded, asked in
            let parts = [origin, path, query].compactMap { $0.difference(recorded, asked) }
            return parts.isEmpty ? nil : parts.joined(separator: ", ")
        }
        matcher.comparesPath = true
        return matcher
    }()

    /// Scheme, host and port. Without it, a recording of one server answers for another.
    public static let origin = RequestMatcher { recorded, asked in
        let origins = [recorded, asked].map { request in
            Origin(scheme: request.recorded.head.scheme, authority: request.recorded.head.authority)?.description
                ?? request.recorded.head.authority ?? ""
        }
        return difference("the origin", origins[0], origins[1])
    }

    public static let path: RequestMatcher = {
        var matcher = RequestMatcher { recorded, asked in
            difference("the path", recorded.recorded.path, asked.recorded.path)
        }
        matcher.comparesPath = true
        return matcher
    }()

    /// The items of the query, with their number and, among those of one name, their order.
    public static let query = query(ignoring: [])

    /// The same without the items of these names.
    public static func query(ignoring names: Set<String>) -> RequestMatcher {
        RequestMatcher { recorded, asked in
            FormItems(recorded.recorded.query).difference(from: FormItems(asked.recorded.query), "query item", names)
        }
    }

    /// The values of these fields; a field that is missing in both is the same.
    public static func fields(_ names: [HTTPField.Name]) -> RequestMatcher {
        RequestMatcher { recorded, asked in
            let found = names.compactMap { name in
                difference(
                    "the field \(name)", recorded.recorded.head.headerFields[name],
                    asked.recorded.head.headerFields[name])
            }
            return found.isEmpty ? nil : found.joined(separator: ", ")
        }
    }

    /// JSON and forms by what they mean, other bodies byte by byte.
    public static let body = body(.automatic)

    public static func body(_ comparison: BodyComparison) -> RequestMatcher {
        RequestMatcher { recorded, asked in comparison.difference(recorded, asked) }
    }

    /// How much of a value is told.
    private static let shown = 80

    static func difference(_ what: String, _ recorded: String?, _ asked: String?) -> String? {
        if recorded == nil, asked == nil { return nil }
        if let recorded, let asked, recorded.utf8.elementsEqual(asked.utf8) { return nil }
        func told(_ text: String?) -> String {
            guard let text else { return "absent" }
            return text.count > shown ? "\"\(text.prefix(shown))…\"" : "\"\(text)\""
        }
        return "\(what) is \(told(recorded)) there and \(told(asked)) here"
    }
}
