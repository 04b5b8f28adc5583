// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataCore
import StrataEncoding

extension Plan {
    /// The call as a command line of curl.
    package func curlCommand() throws -> String {
        var (request, options) = try curlRequest()
        func hidden(_ secret: String?) -> String { showsSecrets ? secret ?? "" : "***" }
        switch call.credentials {
        case .none: break
        case .basic(let user, let password): options += ["--user", Self.quoted("\(user):\(hidden(password))")]
        case .digest(let user, let password):
            options += ["--digest", "--user", Self.quoted("\(user):\(hidden(password))")]
        case .bearer(let token):
            request.head.headerFields[.authorization] = "Bearer \(token)"
        }
        let connection = call.connection
        if !connection.verifies { options.append("--insecure") }
        for (name, value) in [
            ("--cacert", connection.authorities), ("--cert", connection.certificate),
            ("--key", connection.certificateKey),
            ("--unix-socket", connection.unixSocket), ("--interface", connection.interface),
        ] {
            if let value { options += [name, Self.quoted(value)] }
        }
        if connection.proxy == "none" {
            options += ["--noproxy", "'*'"]
        } else if let proxy = connection.proxy {
            options += ["--proxy", Self.quoted(showsSecrets ? proxy : Self.withoutUser(proxy))]
        }
        if call.attempts > 1 { options += ["--retry", "\(call.attempts - 1)"] }
        return ([request.curlCommand(maskingSecrets: !showsSecrets)] + options).joined(separator: " ")
    }

    /// A form is written part by part, and a file by its name, where the request itself has but a stream.
    private func curlRequest() throws -> (TransportRequest, [String]) {
        var options: [String] = []
        var plain = call.withoutFiles
        switch call.body {
        case .multipart(let parts):
            for part in parts { options += formOption(part) }
        case .file(let path): options += ["--data-binary", Self.quoted("@\(path)")]
        case .standardInput: options += ["--data-binary", "@-"]
        case .none, .json, .form, .data: return (try call.transportRequest(), [])
        }
        // With the options, the method is POST by itself.
        if call.effectiveMethod != "POST" { options += ["--request", Self.quoted(call.effectiveMethod)] }
        plain.method = "GET"
        if case .file(let path) = call.body, !plain.names("content-type") {
            plain.fields.append(
                CallField("Content-Type", MediaType(filename: path).map { "\($0)" } ?? "application/octet-stream"))
        }
        return (try plain.transportRequest(), options)
    }

    private func formOption(_ part: FormPart) -> [String] {
        var attributes = ""
        if let type = part.contentType { attributes += ";type=\(type)" }
        if let name = part.filename { attributes += ";filename=\(Self.quotedInForm(name))" }
        switch part.content {
        case .text(let text):
            let shown = showsSecrets || !MaskedRequest.hides(text, inFormAs: part.name) ? text : "***"
            return attributes.isEmpty
                ? ["--form-string", Self.quoted("\(part.name)=\(shown)")]
                : ["--form", Self.quoted("\(part.name)=\(Self.quotedInForm(shown))\(attributes)")]
        case .file(let path):
            return ["--form", Self.quoted("\(part.name)=@\(Self.quotedInForm(path))\(attributes)")]
        }
    }

    private static func quotedInForm(_ text: String) -> String {
        guard text.contains(where: { ";,\"\\".contains($0) }) else { return text }
        return "\"" + text.replacingOccurrences(of: "\\", with: "\\\\").replacingOccurrences(of: "\"", with: "\\\"")
            + "\""
    }

    private static func withoutUser(_ url: String) -> String {
        guard let at = url.lastIndex(of: "@") else { return url }
        let start = url.range(of: "://")?.upperBound ?? url.startIndex
        return url[..<start] + "***" + url[at...]
    }

    private static func quoted(_ word: String) -> String {
        "'" + word.replacingOccurrences(of: "'", with: "'\\''") + "'"
    }
}
