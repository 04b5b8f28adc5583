// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataCore
import StrataEncoding

/// A command line of curl, as a ``Call``.
package struct CurlCommand {
    package private(set) var call = Call()
    /// `-i`
    package private(set) var showsHead = false
    package private(set) var isVerbose = false
    /// `-f`
    package private(set) var checksStatus = false
    /// `-o`; empty for `-O`.
    package private(set) var output: String?
    package private(set) var continuesOutput = false

    private var pieces: [(text: Data, isForm: Bool)] = []
    private var parts: [FormPart] = []
    private var upload: String?
    private var isQueryData = false
    private var isHead = false
    private var isJSON = false
    private var user: String?
    private var isDigest = false
    private var read: (String) throws -> Data

    /// - Parameter read: returns what a file has; a test gives its own.
    /// - Throws: ``UsageError``, and what `read` throws.
    package init(
        _ text: String, reading read: @escaping (String) throws -> Data = RequestContent.contents(of:)
    ) throws {
        try self.init(words: ShellWords.split(text), reading: read)
    }

    package init(
        words: [String], reading read: @escaping (String) throws -> Data = RequestContent.contents(of:)
    ) throws {
        self.read = read
        let name = words.first.map { $0.split(separator: "/").last.map(String.init) ?? $0 }
        guard name == "curl" || name == "curl.exe" else { throw UsageError("the command does not begin with curl") }
        call.decodesContent = false
        for (name, value) in try CurlOption.read(words.dropFirst()) { try take(name, value) }
        try finish()
    }

    private mutating func take(_ name: String, _ value: String) throws {
        switch name {
        case "url":
            guard call.url.isEmpty else { throw UsageError("curl is given several URLs") }
            call.url = try TargetURL.expand(value)
        case "request": call.method = value
        case "header": try header(value)
        case "user-agent": call.fields.append(CallField("User-Agent", value.isEmpty ? nil : value))
        case "referer": call.fields.append(CallField("Referer", value))
        case "cookie":
            guard value.contains("=") else { throw UsageError("curl's --cookie names a file, which is not read here") }
            call.fields.append(CallField("Cookie", value))
        case "range": call.fields.append(CallField("Range", "bytes=\(value)"))
        case "data", "data-ascii", "data-raw", "data-binary", "data-urlencode", "json": try data(name, value)
        case "form", "form-string": parts.append(try part(value, isString: name == "form-string"))
        case "upload-file": upload = value
        case "url-query": call.query += try query(value)
        case "get": isQueryData = true
        case "head": isHead = true
        case "user": user = value
        case "digest": isDigest = true
        case "oauth2-bearer": call.credentials = .bearer(value)
        case "location": call.followsRedirects = true
        case "post301", "post302", "post303": call.preservesPOST = true
        case "max-redirs":
            guard let limit = Int(value) else { throw UsageError("curl's --max-redirs is no number") }
            call.maximumRedirects = limit < 0 ? 50 : limit
        case "max-time": call.timeouts.deadline = try Self.seconds(value, of: name)
        case "connect-timeout": call.timeouts.connect = try Self.seconds(value, of: name)
        case "retry":
            guard let count = Int(value), (0...1000).contains(count) else {
                throw UsageError("curl's --retry is no number up to 1000")
            }
            call.attempts = count + 1
        case "compressed": call.decodesContent = true
        case "http1.1": call.httpVersion = .http1
        case "http2": call.httpVersion = .automatic
        case "http2-prior-knowledge": call.httpVersion = .http2PriorKnowledge
        case "http3": call.httpVersion = .http3
        case "include": showsHead = true
        case "verbose": isVerbose = true
        case "fail", "fail-with-body": checksStatus = true
        case "output": output = value == "-" ? nil : value
        case "remote-name", "remote-header-name": output = output ?? ""
        case "continue-at":
            guard value == "-" else { throw UsageError("curl's --continue-at is taken over as `-` alone") }
            continuesOutput = true
        default: try connection(name, value)
        }
    }

    private mutating func connection(_ name: String, _ value: String) throws {
        switch name {
        case "insecure": call.connection.verifies = false
        case "cacert": call.connection.authorities = value
        case "cert":
            // `file:password`
            let (file, password) = CallCredentials.pair(value)
            call.connection.certificate = file
            if let password { call.connection.certificatePassword = password }
        case "key": call.connection.certificateKey = value
        case "pass": call.connection.certificatePassword = value
        case "tlsv1.3": call.connection.minimumTLS13 = true
        case "proxy": call.connection.proxy = value.isEmpty ? "none" : value
        case "proxy-user": call.connection.proxyUser = value
        case "noproxy": call.connection.proxyExceptions += value.split { ", ".contains($0) }.map(String.init)
        case "unix-socket": call.connection.unixSocket = value
        case "interface": call.connection.interface = value
        case "ipv4": call.connection.family = .ipv4
        case "ipv6": call.connection.family = .ipv6
        case "resolve":
            let parts = value.split(separator: ":", maxSplits: 2).map(String.init)
            guard parts.count == 3, let port = Int(parts[1]) else {
                throw UsageError("curl's --resolve is not `host:port:address`")
            }
            let addresses = parts[2].split(separator: ",").map { String($0.filter { !"[]".contains($0) }) }
            call.connection.addresses.append(.init(host: parts[0], port: port, addresses: addresses))
        default: break
        }
    }

    private mutating func header(_ line: String) throws {
        if line.hasPrefix("@") {
            for line in String(decoding: try read(String(line.dropFirst())), as: UTF8.self).split(
                whereSeparator: \.isNewline)
            {
                try header(String(line))
            }
        } else if let colon = line.firstIndex(of: ":") {
            let value = line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
            call.fields.append(CallField(String(line[..<colon]), value.isEmpty ? nil : value))
        } else if line.hasSuffix(";") {
            call.fields.append(CallField(String(line.dropLast()), ""))
        } else {
            throw UsageError("a header of curl's has no colon")
        }
    }

    private mutating func data(_ name: String, _ value: String) throws {
        switch name {
        case "data-urlencode":
            pieces.append((Data(try Self.urlEncoded(value, reading: read).utf8), true))
        case "data-raw": pieces.append((Data(value.utf8), true))
        default:
            guard value.hasPrefix("@") else {
                pieces.append((Data(value.utf8), name != "json"))
                isJSON = isJSON || name == "json"
                return
            }
            let path = String(value.dropFirst())
            if path == "-" { throw UsageError("curl's --\(name) reads standard input, which has no place in a text") }
            let contents = try read(path)
            // Without `-binary`, newlines are left out.
            let isText = name == "data" || name == "data-ascii"
            pieces.append((isText ? contents.filter { ![0, 10, 13].contains($0) } : contents, name != "json"))
            isJSON = isJSON || name == "json"
        }
    }

    /// `content`, `=content`, `name=content`, `@file` or `name@file`.
    private static func urlEncoded(_ text: String, reading read: (String) throws -> Data) throws -> String {
        func encoded(_ data: Data) -> String {
            data.map { byte in
                let scalar = Unicode.Scalar(byte)
                let isPlain = scalar.isASCII && (scalar.properties.isAlphabetic || (48...57).contains(byte))
                return isPlain || "-._~".unicodeScalars.contains(scalar)
                    ? String(Character(scalar))
                    : "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
            }.joined()
        }
        guard let index = text.firstIndex(where: { $0 == "=" || $0 == "@" }) else { return encoded(Data(text.utf8)) }
        let (name, rest) = (text[..<index], String(text[text.index(after: index)...]))
        let content = text[index] == "@" ? try read(rest) : Data(rest.utf8)
        return (name.isEmpty ? "" : "\(name)=") + encoded(content)
    }

    private func query(_ text: String) throws -> [URLQueryItem] {
        Self.items(of: text.hasPrefix("+") ? String(text.dropFirst()) : try Self.urlEncoded(text, reading: read))
    }

    private static func items(of text: String) -> [URLQueryItem] {
        FormDecoder().items(from: Data(text.utf8)).map { URLQueryItem(name: $0.name, value: $0.value) }
    }

    /// `name=text`, `name=@file` or `name=<file`, and then `;type=…` and `;filename=…`.
    private func part(_ text: String, isString: Bool) throws -> FormPart {
        guard let equals = text.firstIndex(of: "=") else { throw UsageError("a part of curl's --form has no `=`") }
        let name = String(text[..<equals])
        let rest = String(text[text.index(after: equals)...])
        if isString { return FormPart(name: name, content: .text(rest)) }
        var attributes = Self.attributes(of: rest)
        let content = attributes.removeFirst()
        var part = FormPart(name: name, content: .text(content))
        if content.hasPrefix("@") {
            part.content = .file(String(content.dropFirst()))
        } else if content.hasPrefix("<") {
            part.content = .text(String(decoding: try read(String(content.dropFirst())), as: UTF8.self))
        }
        for attribute in attributes {
            if let value = Self.value(of: "type", in: attribute) {
                part.contentType = value
            } else if let value = Self.value(of: "filename", in: attribute) {
                part.filename = value
            } else {
                throw UsageError("an attribute in curl's --form is neither type nor filename")
            }
        }
        return part
    }

    private static func value(of name: String, in attribute: String) -> String? {
        attribute.hasPrefix("\(name)=") ? String(attribute.dropFirst(name.count + 1)) : nil
    }

    /// What stands between semicolons that belong to attributes, without the quotes around a value.
    private static func attributes(of text: String) -> [String] {
        var found = [""]
        var isQuoted = false
        var characters = text[...]
        while let character = characters.popFirst() {
            if character == "\"" {
                isQuoted.toggle()
            } else if isQuoted, character == "\\", let next = characters.popFirst() {
                found[found.count - 1].append(next)
            } else if !isQuoted, character == ";",
                characters.hasPrefix("type=") || characters.hasPrefix("filename=") || characters.hasPrefix("headers=")
                    || characters.hasPrefix("encoder=")
            {
                found.append("")
            } else {
                found[found.count - 1].append(character)
            }
        }
        return found
    }

    private static func seconds(_ text: String, of name: String) throws -> Duration {
        guard let seconds = Double(text), (0...1e9).contains(seconds) else {
            throw UsageError("curl's --\(name) is no number of seconds")
        }
        return .seconds(seconds)
    }

    private mutating func finish() throws {
        guard !call.url.isEmpty else { throw UsageError("curl is given no URL") }
        if let user {
            let (name, password) = CallCredentials.pair(user)
            call.credentials =
                isDigest ? .digest(user: name, password: password) : .basic(user: name, password: password)
        }
        if [!pieces.isEmpty, !parts.isEmpty, upload != nil].filter({ $0 }).count > 1 {
            throw UsageError("curl is given bodies of several kinds")
        }
        if isJSON {
            for name in ["Content-Type", "Accept"] where !hasField(name) {
                call.fields.append(CallField(name, "application/json"))
            }
        }
        if !parts.isEmpty { call.body = .multipart(parts) }
        if let upload {
            guard upload != "-" else { throw UsageError("curl's --upload-file reads standard input") }
            call.body = .file(path: upload)
            call.method = call.method ?? "PUT"
            if call.url.hasSuffix("/") { call.url += URL(filePath: upload).lastPathComponent }
        }
        if isHead { call.method = call.method ?? "HEAD" }
        guard !pieces.isEmpty else { return }
        var joined = Data()
        for (index, piece) in pieces.enumerated() {
            if index > 0, piece.isForm { joined.append(UInt8(ascii: "&")) }
            joined += piece.text
        }
        if isQueryData || isHead {
            call.query += Self.items(of: String(decoding: joined, as: UTF8.self))
        } else {
            call.body = .data(joined, contentType: hasField("Content-Type") ? nil : "application/x-www-form-urlencoded")
        }
    }

    private func hasField(_ name: String) -> Bool {
        call.fields.contains { $0.name.lowercased() == name.lowercased() }
    }
}
