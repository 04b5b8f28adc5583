// SPDX-License-Identifier: Apache-2.0

import HTTPTypes

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension TransportRequest {
    /// The request as a command line for a POSIX shell, on one line, which does what the call does: with the same
    /// redirects, content codings and timeouts.
    ///
    ///     curl 'https://api.example/users' --location --compressed --header 'Authorization: Bearer ***'
    ///
    /// Everything that came from outside is quoted. Bytes that are no text, and text of 100,000 bytes and more, are piped
    /// in, a file is named by its path, and a stream is read from standard input, as is a multipart body whose secrets
    /// are to be masked.
    ///
    /// Redirects are followed where curl would treat them as the client does: not for methods that it would keep after a
    /// 303, and not with sensitive fields that it would take along to another origin. Timeouts stand in the command when
    /// they are not the default ones. curl adds a `User-Agent` and an `Accept` of its own.
    ///
    /// - Parameter maskingSecrets: whether `***` stands for the secrets that ``Redaction/standard`` finds in fields, in the
    ///   query and in a body that is text, and user information in the authority is left out. Default: yes. A body that cannot be
    ///   searched, such as a multipart one, is then read from standard input.
    public func curlCommand(maskingSecrets: Bool = true) -> String {
        maskingSecrets ? withMaskedHead(by: .standard).withMaskedBody(by: .standard).command : command
    }

    /// The same for a log: without the secrets that `redaction` finds, and with a body that is not text named in place of
    /// shown.
    ///
    /// - `bodyLimit`: how many bytes of the body are shown.
    public func curlCommand(redaction: Redaction, bodyLimit: Int = .max) -> String {
        var request = withMaskedHead(by: redaction)
        if let data = body.data, !body.isEmpty {
            let text = redaction.body(
                data.prefix(max(bodyLimit, 0)), contentType: head.headerFields[.contentType], options: options)
            let rest = data.count > bodyLimit ? " … and \(data.count - max(bodyLimit, 0)) bytes" : ""
            request.body = .data(Data((text + rest).utf8))
        }
        return request.command
    }

    private func withMaskedHead(by redaction: Redaction) -> TransportRequest {
        var request = self
        request.head = head.withoutUserInformation
        request.head.path = request.head.path.map { redaction.wholeURL($0, options: options) }
        request.head.headerFields = HTTPFields(
            head.headerFields.joiningCookies.map {
                HTTPField(name: $0.name, value: redaction.shown($0, options: options))
            })
        return request
    }

    private func withMaskedBody(by redaction: Redaction) -> TransportRequest {
        guard let data = body.data, !body.isEmpty else { return self }
        var request = self
        let contentType = head.headerFields[.contentType]
        if let text = redaction.maskedText(data, contentType: contentType, options: options) {
            request.body = .data(Data(text.utf8))
        } else if ShellWord.text(of: data) != nil || contentType?.lowercased().contains("multipart") == true {
            request.body = .stream(length: Int64(data.count), isReplayable: true) { DataBodySource(data) }
        }
        return request
    }

    private var command: String {
        var input: String?
        let url = url
        var words = ["curl"] + methodArguments + Self.urlArguments(url) + [ShellWord.quoted(url)] + optionArguments
        func add(_ option: String, _ argument: String) { words += [option, ShellWord.quoted(argument)] }

        // The length is that of the body, whatever a field says.
        for field in head.headerFields.joiningCookies where !field.name.isFraming {
            let value = field.value
            // curl wants a semicolon in place of the colon for an empty value; otherwise it leaves the field out.
            add("--header", value.isEmpty ? "\(field.name.rawName);" : "\(field.name.rawName): \(value)")
        }
        if body.isEmpty {
            if head.method.expectsContent { add("--header", "Content-Length: 0") }
        } else {
            // Without a `Content-Type`, curl would send that of a form, and before a large body it would wait for consent.
            if head.headerFields[.contentType] == nil { add("--header", "Content-Type:") }
            if let wait = options.expectContinue {
                if head.headerFields[.expect] == nil { add("--header", "Expect: 100-continue") }
                words += ["--expect100-timeout", Self.seconds(wait)]
            } else if body.length.map({ $0 >= Self.longestWithoutExpect }) ?? true, head.headerFields[.expect] == nil {
                add("--header", "Expect:")
            }
        }
        if let upgrade = options.upgrade {
            add("--header", "Connection: Upgrade")
            add("--header", "Upgrade: \(upgrade)")
        }

        switch body.kind {
        case .empty: break
        case .data(let data):
            if let text = ShellWord.text(of: data), ShellWord.quoted(text).utf8.count < ShellWord.longestArgument {
                add("--data-raw", text)
            } else {
                input = "printf '\(ShellWord.printfFormat(of: data))'"
                words += ["--data-binary", "@-"]
            }
        case .file(let path, let offset, let length):
            input = "tail -c +\(offset + 1) \(ShellWord.quotedPath(path)) | head -c \(length)"
            words += ["--data-binary", "@-"]
        case .stream:
            words += ["--data-binary", "@-"]
        }
        let command = words.joined(separator: " ")
        return input.map { "\($0) | \(command)" } ?? command
    }

    /// curl sends `Expect: 100-continue` from one megabyte on.
    private static let longestWithoutExpect: Int64 = 1_000_000

    private var methodArguments: [String] {
        switch head.method {
        case .get where body.isEmpty, .post where !body.isEmpty: []
        case .head where body.isEmpty: ["--head"]
        default: ["--request", ShellWord.quoted(head.method.rawValue)]
        }
    }

    /// What keeps curl from changing the URL.
    private static func urlArguments(_ url: String) -> [String] {
        let path = url.utf8.prefix { $0 != UInt8(ascii: "?") }
        let segments = path.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
            .map { String(Substring($0)).asciiLowercased.replacing("%2e", with: ".") }
        return (url.utf8.contains { "[]{}".utf8.contains($0) } ? ["--globoff"] : [])
            + (segments.contains { $0 == "." || $0 == ".." } ? ["--path-as-is"] : [])
    }

    /// The options of the call, as far as they are not what curl does by itself.
    private var optionArguments: [String] {
        var words = redirectArguments
        // As the transports ask for a coding, and undo it.
        let fields = head.headerFields
        if head.method != .head, fields[.acceptEncoding] == nil, fields[.range] == nil { words.append("--compressed") }
        switch options.httpVersion {
        case .automatic: break
        case .http1: words.append("--http1.1")
        case .http2PriorKnowledge: words.append("--http2-prior-knowledge")
        case .http3: words.append("--http3-only")
        }
        let (timeouts, usual) = (options.timeouts, Timeouts())
        if let connect = timeouts.connect, connect != usual.connect {
            words += ["--connect-timeout", Self.seconds(connect)]
        }
        if let idle = timeouts.idle, idle != usual.idle {
            words += [
                "--speed-limit", "1", "--speed-time", "\(Swift.max(Int64((idle / .seconds(1)).rounded(.up)), 1))",
            ]
        }
        if let whole = [timeouts.attempt, timeouts.deadline].compactMap({ $0 }).min() {
            words += ["--max-time", Self.seconds(whole)]
        }
        return words
    }

    private var redirectArguments: [String] {
        let policy = options.redirects
        let keepsNoSecrets = options.sensitiveFields.isDisjoint(with: head.headerFields.map(\.name))
        guard policy.limit > 0, methodArguments.first != "--request", keepsNoSecrets else { return [] }
        var words = ["--location"]
        if policy.limit != RedirectPolicy.follow.limit { words += ["--max-redirs", "\(policy.limit)"] }
        if head.scheme == "https", !policy.allowsDowngrade { words += ["--proto-redir", ShellWord.quoted("=https")] }
        if head.method == .post, policy.preservesPOST { words += ["--post301", "--post302"] }
        return words
    }

    /// With a point, in whole milliseconds, and not 0, which is no limit at all.
    private static func seconds(_ duration: Duration) -> String {
        let milliseconds = Swift.max(Int64((duration / .milliseconds(1)).rounded(.up)), 1)
        let (whole, rest) = milliseconds.quotientAndRemainder(dividingBy: 1000)
        return rest == 0 ? "\(whole)" : "\(whole).\(String(rest + 1000).dropFirst())"
    }
}

extension Redaction {
    /// The value of a field for a command. The scheme of credentials is kept: it is no secret, and says which kind of
    /// credentials was sent.
    fileprivate func shown(_ field: HTTPField, options: RequestOptions) -> String {
        let value = value(of: field, options: options)
        guard value == replacement, field.name == .authorization || field.name == .proxyAuthorization,
            let scheme = Self.scheme(of: field.value)
        else { return value }
        return "\(scheme) \(replacement)"
    }

    /// The token at the start, when something follows it (RFC 9110 §11.4). A token that stands alone is the secret
    /// itself.
    private static func scheme(of credentials: String) -> Substring? {
        guard let space = credentials.utf8.firstIndex(of: UInt8(ascii: " ")),
            credentials.utf8[..<space].allSatisfy(\.isTokenCharacter),
            !credentials.utf8[space...].trimmingBlanks.isEmpty
        else { return nil }
        return credentials[..<space]
    }
}

extension HTTPFields {
    /// All cookies in one field, as they are sent (RFC 6265 §5.4): HTTPTypes makes a field of each.
    fileprivate var joiningCookies: HTTPFields {
        guard let cookies = self[.cookie] else { return self }
        var fields = self
        fields[values: .cookie] = [cookies]
        return fields
    }
}

/// Words of a POSIX shell's command line.
private enum ShellWord {
    /// Linux refuses an argument of 131,072 bytes to a program. The shell's own `printf` is no program, and takes more.
    static let longestArgument = 100_000

    /// In single quotes nothing is special but the quote itself (POSIX.1-2017, Shell Command Language, 2.2.2).
    static func quoted(_ text: String) -> String {
        var word = "'"
        for scalar in text.unicodeScalars {
            switch scalar {
            case "'": word += "'\\''"
            case "\0": continue  // no word can hold it
            default: word.unicodeScalars.append(scalar)
            }
        }
        return word + "'"
    }

    /// A path that is not taken for an option.
    static func quotedPath(_ path: String) -> String { quoted(path.hasPrefix("-") ? "./" + path : path) }

    /// The bytes as text, when they are UTF-8 that a terminal shows as it is.
    static func text(of data: Data) -> String? {
        guard let text = String(validating: data, as: UTF8.self) else { return nil }
        let isPlain = text.unicodeScalars.allSatisfy { $0 == "\n" || $0 == "\t" || !$0.isControl }
        return isPlain ? text : nil
    }

    /// The bytes for `printf`: letters and digits as they are, all else in octal.
    static func printfFormat(of data: Data) -> String {
        var format: [UInt8] = []
        for byte in data {
            if byte.isLetter || byte.isDigit {
                format.append(byte)
            } else {
                format.append(UInt8(ascii: "\\"))
                for shift in [6, 3, 0] as [UInt8] { format.append(UInt8(ascii: "0") + (byte >> shift & 7)) }
            }
        }
        return String(decoding: format, as: UTF8.self)
    }
}
