// SPDX-License-Identifier: Apache-2.0

/// Where a request goes, below the base URL of its client: a path, and a query if it has one; or a complete URL.
///
///     let post: Post = try await client.get("users/\(name)/posts/\(id)")
///
/// What is typed is text of a URL: escapes (`%2F`) stay, characters that a URL does not allow are encoded, `?` begins a
/// query, and `#` a fragment, which is not sent (RFC 9110 §4.2.5). Each value that is put in is percent-encoded as one
/// segment: a `/` in it becomes `%2F`. A value in the path that is `nil` or empty, or makes a segment `.` or `..`, would
/// name another resource: sending the request throws ``NetworkClientError`` with `malformedURL`. A value in the query may
/// be empty. Text that is encoded already goes in by `\(raw: text)`.
///
/// This module takes text and integers for values, `StrataEncoding` whatever is `Encodable` or has a raw value: they
/// become the text that they are in a query.
public struct RequestPath: Sendable {
    /// Encoded, or to be encoded as ``RequestURL`` does.
    private let reference: String
    /// A ``NetworkClientError``; boxed, because it is large.
    private let failure: (any Error)?
    /// What is the same for all values that are put in; `nil` for text of which that is not known.
    package let template: String?

    private init(_ reference: String, failure: (any Error)?, template: String? = nil) {
        self.reference = reference
        self.failure = failure
        self.template = template
    }

    /// Text of a URL that is encoded already, such as a link. May be a complete URL.
    public init(raw text: String) { self.init(Self.withoutFragment(text), failure: nil) }

    /// The text that ``NetworkRequest`` takes in place of a path: a `#` in it is encoded.
    ///
    /// - Parameter template: what it was made of.
    package init(text: String, template: String? = nil) { self.init(text, failure: nil, template: template) }

    /// Text of a URL that was made of a template; see ``RequestOptions/urlTemplate``.
    package init(raw text: String, template: String?) {
        self.init(Self.withoutFragment(text), failure: nil, template: template)
    }

    /// - Throws: ``NetworkClientError`` with the first failure of a value.
    package var text: String {
        get throws {
            if let failure { throw failure }
            return reference
        }
    }

    private static func withoutFragment(_ text: String) -> String {
        guard let hash = text.utf8.firstIndex(of: UInt8(ascii: "#")) else { return text }
        return String(text[..<hash])
    }
}

extension RequestPath: Hashable {
    @_documentation(visibility: internal)
    public static func == (left: Self, right: Self) -> Bool {
        left.reference == right.reference && (left.failure == nil) == (right.failure == nil)
    }

    @_documentation(visibility: internal)
    public func hash(into hasher: inout Hasher) { hasher.combine(reference) }
}

extension RequestPath: CustomStringConvertible, CustomReflectable {
    /// Without user information and query.
    public var description: String { URLReference(reference).textWithoutSecrets }

    @_documentation(visibility: internal)
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}

extension RequestPath: ExpressibleByStringInterpolation {
    @_documentation(visibility: internal)
    public init(stringLiteral text: String) { self.init(raw: text, template: text) }

    @_documentation(visibility: internal)
    public init(stringInterpolation: StringInterpolation) {
        self.init(
            Self.withoutFragment(stringInterpolation.text), failure: stringInterpolation.failure,
            template: stringInterpolation.template)
    }

    @_documentation(visibility: internal)
    public struct StringInterpolation: StringInterpolationProtocol, Sendable {
        fileprivate var text = ""
        /// The same with `{}` for each value.
        fileprivate private(set) var template = ""
        /// Where values stand in the text, in bytes.
        private var filled: [Range<Int>] = []
        private var problem: (value: Int, text: String, cause: (any Error)?)?

        public init(literalCapacity: Int, interpolationCount: Int) {
            text.reserveCapacity(literalCapacity + 16 * interpolationCount)
        }

        public mutating func appendLiteral(_ literal: String) {
            text += literal
            template += literal
        }

        /// Text that is encoded already.
        public mutating func appendInterpolation(raw text: String) {
            self.text += text
            template += "{}"
        }

        public mutating func appendInterpolation(_ value: String?) { append { value } }

        public mutating func appendInterpolation(_ value: Substring?) { append { value.map(String.init) } }

        public mutating func appendInterpolation(_ value: Int?) { append { value.map { String($0) } } }

        /// Puts in a value; `nil` is one that is missing.
        package mutating func append(_ value: () throws -> String?) {
            let number = filled.count + 1
            let start = text.utf8.count
            do {
                switch try value() {
                case nil: note("is nil", of: number)
                case "" where !isInQuery: note("is empty", of: number)
                case let value?: text += PercentEncoding.encode(value)
                }
            } catch {
                note("has no text", of: number, cause: error)
            }
            filled.append(start..<text.utf8.count)
            template += "{}"
        }

        private var isInQuery: Bool { text.utf8.contains(UInt8(ascii: "?")) }

        private mutating func note(_ text: String, of value: Int, cause: (any Error)? = nil) {
            if problem == nil { problem = (value, text, cause) }
        }

        fileprivate var failure: (any Error)? {
            let shown = URLReference(template).textWithoutSecrets
            if let problem {
                return NetworkClientError(
                    problem.cause == nil ? .malformedURL : .encodingFailed,
                    "value \(problem.value) of the path \"\(shown)\" \(problem.text)", cause: problem.cause)
            }
            guard URLReference.hasDotSegment(text.utf8, filledAt: filled) else { return nil }
            return NetworkClientError(.malformedURL, "a value of the path \"\(shown)\" makes a segment '.' or '..'")
        }
    }
}
