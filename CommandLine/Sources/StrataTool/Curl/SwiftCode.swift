// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataCore
import StrataEncoding

/// A call as Swift that makes it with Strata. Secrets are read from the environment, unless they are to be shown.
package struct SwiftCode {
    private let plan: Plan
    private var call: Call { plan.call }
    private let request: TransportRequest
    private let masked: MaskedRequest
    private var usesSecret = false
    package private(set) var text = ""

    /// - Throws: ``UsageError`` and `NetworkClientError` for a call that cannot be made.
    package init(_ plan: Plan) throws {
        var plan = plan
        // `-H 'Authorization: Bearer …'` is what a middleware is for.
        if plan.call.credentials == .none,
            let index = plan.call.fields.firstIndex(where: { $0.name.lowercased() == "authorization" }),
            let value = plan.call.fields[index].value, value.lowercased().hasPrefix("bearer ")
        {
            plan.call.credentials = .bearer(value.dropFirst(7).trimmingCharacters(in: .whitespaces))
            plan.call.fields.remove(at: index)
        }
        self.plan = plan
        request = try plan.call.withoutFiles.transportRequest()
        masked = MaskedRequest(request, showsSecrets: plan.showsSecrets)
        var sections = [client()]
        let (setUp, argument) = try body()
        sections.append(contentsOf: setUp)
        sections.append(self.request(argument))
        var head = "import Foundation\nimport Strata\n"
        if usesSecret {
            head +=
                "\n" + #"func secret(_ name: String) -> String { ProcessInfo.processInfo.environment[name] ?? "" }"#
                + "\n"
        }
        text = head + "\n" + sections.joined(separator: "\n") + "\n"
    }

    // MARK: - The client

    private mutating func client() -> String {
        var layers: [String] = []
        if call.attempts > 1 { layers.append("RetryMiddleware(maxAttempts: \(call.attempts))") }
        switch call.credentials {
        case .none: break
        case .bearer(let token): layers.append("BearerAuthMiddleware(token: \(secret(token, "TOKEN")))")
        case .basic(let user, let password):
            layers.append(
                "BasicAuthMiddleware(username: \(Self.literal(user)), password: \(secret(password ?? "", "PASSWORD")))")
        case .digest(let user, let password):
            layers.append(
                "DigestAuthMiddleware(username: \(Self.literal(user)), password: \(secret(password ?? "", "PASSWORD")))"
            )
        }
        var arguments = ["baseURL: \(Self.literal(base))"]
        var settings: [String] = []
        let connection = call.connection
        if !connection.verifies { settings.append("tls.dangerouslySkipsVerification = true") }
        if let file = connection.authorities { settings.append("tls.trust = .file(\(Self.literal(file)))") }
        if let file = connection.certificate {
            settings.append("tls.clientCertificate = \(Self.literal(file))")
            settings.append("tls.clientKey = \(Self.literal(connection.certificateKey ?? file))")
        }
        if let password = connection.certificatePassword {
            settings.append("tls.clientKeyPassword = \(secret(password, "KEY_PASSWORD"))")
        }
        if connection.minimumTLS13 { settings.append("tls.minimumVersion = .v1_3") }
        if connection.proxy == "none" {
            settings.append("proxy = .none")
        } else if let proxy = connection.proxy {
            settings.append("proxy = .url(\(proxy.contains("@") ? secret(proxy, "PROXY") : Self.literal(proxy)))")
        }
        if let path = connection.unixSocket { settings.append("unixSocketPath = \(Self.literal(path))") }
        if let name = connection.interface { settings.append("localInterface = \(Self.literal(name))") }
        if connection.family != .any { settings.append("addressFamily = .\(connection.family)") }
        for entry in connection.addresses {
            let addresses = entry.addresses.map(Self.literal).joined(separator: ", ")
            settings.append(
                "addressOverrides.append(.init(host: \(Self.literal(entry.host)), port: \(entry.port), addresses: [\(addresses)]))"
            )
        }
        var lines: [String] = []
        if case .digest = call.credentials { lines.append("import StrataAuthentication\n") }
        if !settings.isEmpty {
            lines.append("import StrataCurl\n\nvar settings = CurlTransport.Configuration()")
            lines += settings.map { "settings.\($0)" }
            arguments.append("transport: CurlTransport(configuration: settings)")
        }
        if !layers.isEmpty { arguments.append("middleware: [\(layers.joined(separator: ", "))]") }
        lines.append("let client = NetworkClient(\(Self.list(arguments, before: 29)))")
        return lines.joined(separator: "\n")
    }

    private var base: String {
        guard let scheme = call.url.range(of: "://") else { return call.url }
        return String(
            call.url.prefix(upTo: call.url[scheme.upperBound...].firstIndex { "/?#".contains($0) } ?? call.url.endIndex)
        )
    }

    // MARK: - The body

    /// What stands before the call, and what is its argument.
    private mutating func body() throws -> ([String], String?) {
        let type = call.fields.first { $0.name.lowercased() == "content-type" }?.value
        switch call.body {
        case .none, .standardInput: return ([], nil)
        case .json(let text): return (["let body: JSONValue = \(try json(Data(text.utf8)))"], "body: body")
        case .form(let items): return ([], "formItems: \(form(items))")
        case .data(let data, let declared):
            let essence = (type ?? declared).flatMap { MediaType($0) }
            if essence?.isJSON == true, (try? JSONValue(parsing: data)) != nil {
                return (["let body: JSONValue = \(try json(data))"], "body: body")
            }
            if declared != nil, essence?.essence == "application/x-www-form-urlencoded" {
                return ([], "formItems: \(form(FormDecoder().items(from: data)))")
            }
            if let text = String(data: data, encoding: .utf8) {
                let shown = masked.body.flatMap { String(data: $0, encoding: .utf8) } ?? text
                let value = shown == text ? Self.literal(text) : secret(text, "BODY")
                return (["let body = Data(\(value).utf8)"], "body: body")
            }
            return (["let body = Data(base64Encoded: \(Self.literal(data.base64EncodedString())))!"], "body: body")
        case .file(let path): return ([], "body: try RequestBody.file(URL(filePath: \(Self.literal(path))))")
        case .multipart(let parts): return ([multipart(parts)], "body: form")
        }
    }

    private mutating func json(_ data: Data) throws -> String {
        let value = try JSONValue(parsing: data)
        let shown = masked.body.flatMap { try? JSONValue(parsing: $0) } ?? value
        return json(value, shown, name: "BODY")
    }

    private mutating func json(_ value: JSONValue, _ shown: JSONValue?, name: String) -> String {
        switch value {
        case .null: return "nil"
        case .bool(let value): return "\(value)"
        case .number(let number):
            let isPlain = number.literal.allSatisfy { $0.isNumber || $0 == "-" } && Int(number.literal) != nil
            return isPlain ? number.literal : ".number(JSONNumber(\(Self.literal(number.literal)))!)"
        case .string(let text):
            // The type of a literal would be that of a string; a function's result is wrapped.
            return shown == value ? Self.literal(text) : ".string(\(secret(text, name)))"
        case .array(let elements):
            return "["
                + elements.enumerated().map { json($1, shown?[$0], name: name) }.joined(separator: ", ") + "]"
        case .object(let members):
            if members.isEmpty { return "[:]" }
            // In no order of their own; this one is the same each time.
            return "["
                + members.keys.sorted().map { key in
                    "\(Self.literal(key)): \(json(members[key] ?? .null, shown?[key], name: key))"
                }.joined(separator: ", ") + "]"
        }
    }

    private mutating func form(_ items: [URLFormItem]) -> String {
        let shown = masked.body.map { FormDecoder().items(from: $0) } ?? items
        var lines: [String] = []
        for (index, item) in items.enumerated() {
            let isShown = index < shown.count && shown[index] == item
            let value = item.value.map { isShown ? Self.literal($0) : secret($0, item.name) } ?? "nil"
            lines.append("URLFormItem(name: \(Self.literal(item.name)), value: \(value))")
        }
        return "[\(Self.list(lines, before: 20))]"
    }

    private mutating func multipart(_ parts: [FormPart]) -> String {
        var lines: [String] = []
        for part in parts {
            var arguments = ["name: \(Self.literal(part.name))"]
            if let filename = part.filename { arguments.append("filename: \(Self.literal(filename))") }
            if let type = part.contentType { arguments.append("contentType: \(Self.literal(type))") }
            let rest = arguments.joined(separator: ", ")
            switch part.content {
            case .file(let path): lines.append("try .file(URL(filePath: \(Self.literal(path))), \(rest))")
            case .text(let text):
                let isSecret = !plan.showsSecrets && MaskedRequest.hides(text, inFormAs: part.name)
                let value = isSecret ? secret(text, part.name) : Self.literal(text)
                lines.append(
                    arguments.count == 1 ? ".text(\(value), \(rest))" : ".data(Data(\(value).utf8), \(rest))")
            }
        }
        return "let form = MultipartForm([\(Self.list(lines, before: 28))])"
    }

    // MARK: - The request

    private static let verbs: Set<String> = ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]

    private mutating func request(_ body: String?) -> String {
        let method = call.effectiveMethod
        let isForm = body?.hasPrefix("formItems") == true
        var arguments = [path()]
        let fields = headerFields()
        let options = changes()
        if method == "HEAD" {
            if let fields { arguments.append("fields: \(fields)") }
            if let options { arguments.append("options: \(options)") }
            arguments.append("returning: NetworkResponse<VoidResponse>.self")
            return
                "let reply = try await client.head(\(Self.list(arguments, before: 37)))\nprint(reply.status, reply.headerFields)"
        }
        let note = "// In place of `JSONValue`, a type of yours that is `Decodable`.\n"
        if Self.verbs.contains(method), !isForm {
            if let body { arguments.append(body) }
            if let fields { arguments.append("fields: \(fields)") }
            if let options { arguments.append("options: \(options)") }
            let verb = method.lowercased()
            return note
                + "let reply: JSONValue = try await client.\(verb)(\(Self.list(arguments, before: 44)))\nprint(reply)"
        }
        let name =
            Self.verbs.contains(method) ? ".\(method.lowercased())" : "HTTPMethod(rawValue: \(Self.literal(method)))!"
        arguments = ["path: \(arguments[0])", "method: \(name)"]
        let type =
            body == nil || isForm
            ? "VoidRequest" : body == "body: form" ? "MultipartForm" : body == "body: body" ? bodyType : "RequestBody"
        if let body { arguments.append(body) }
        if let fields { arguments.append("headerFields: \(fields)") }
        if let options { arguments.append("options: \(options)") }
        return note
            + "let request = NetworkRequest<\(type), JSONValue>(\(Self.list(arguments, before: 60)))\nprint(try await client.run(request).value)"
    }

    private var bodyType: String {
        switch call.body {
        case .json: return "JSONValue"
        case .data(let data, let declared):
            let type = call.fields.first { $0.name.lowercased() == "content-type" }?.value ?? declared
            let isJSON = type.flatMap { MediaType($0) }?.isJSON == true
            return isJSON && (try? JSONValue(parsing: data)) != nil ? "JSONValue" : "Data"
        default: return "RequestBody"
        }
    }

    private mutating func path() -> String {
        let (url, shown) = (Self.target(call.urlWithQuery), Self.target(masked.url))
        guard url != shown, let query = url.firstIndex(of: "?"), let shownQuery = shown.firstIndex(of: "?") else {
            return Self.literal(url)
        }
        // The values that are hidden come from the environment.
        let items = url[url.index(after: query)...].split(separator: "&", omittingEmptySubsequences: false)
        let shownItems = shown[shown.index(after: shownQuery)...].split(
            separator: "&", omittingEmptySubsequences: false)
        guard items.count == shownItems.count else { return Self.literal(shown) }
        let words = zip(items, shownItems).map { item, other -> String in
            guard item != other, let equals = item.firstIndex(of: "=") else { return Self.escaped(String(item)) }
            let name = String(item[..<equals])
            let value = String(item[item.index(after: equals)...])
            return "\(Self.escaped(name))=\\(\(secret(value.removingPercentEncoding ?? value, name)))"
        }
        return "\"\(Self.escaped(String(url[...query])))\(words.joined(separator: "&"))\""
    }

    /// Path and query, as they stand below the base URL.
    private static func target(_ url: String) -> String {
        guard let scheme = url.range(of: "://") else { return url }
        let rest = url[scheme.upperBound...]
        guard let start = rest.firstIndex(where: { "/?#".contains($0) }) else { return "/" }
        let target = rest[start...].prefix { $0 != "#" }
        let below = target.dropFirst(target.hasPrefix("/") ? 1 : 0)
        let isPlain =
            !below.isEmpty && !below.hasPrefix("/") && !below.hasPrefix("?")
            && !below.prefix { $0 != "/" }.contains(":")
        return isPlain ? String(below) : target.hasPrefix("/") ? String(target) : "/" + target
    }

    private static let knownFields: [String: String] = [
        "accept": ".accept", "accept-language": ".acceptLanguage", "authorization": ".authorization",
        "cache-control": ".cacheControl", "content-type": ".contentType", "cookie": ".cookie",
        "if-none-match": ".ifNoneMatch", "origin": ".origin", "range": ".range", "referer": ".referer",
        "user-agent": ".userAgent",
    ]

    private mutating func headerFields() -> String? {
        var lines: [String] = []
        for field in call.fields {
            guard let value = field.value else { continue }
            let name = field.name.lowercased()
            if name == "content-type", case .multipart = call.body { continue }
            let isShown = masked.fields.contains { $0.name.lowercased() == name && $0.value == value }
            let known = Self.knownFields[name] ?? "HTTPField.Name(\(Self.literal(field.name)))!"
            lines.append("\(known): \(isShown || plan.showsSecrets ? Self.literal(value) : secret(value, field.name))")
        }
        if case .data(let data, let declared?) = call.body, declared != "application/x-www-form-urlencoded",
            !data.isEmpty
        {
            lines.append(".contentType: \(Self.literal(declared))")
        }
        return lines.isEmpty ? nil : "[\(Self.list(lines, before: 10))]"
    }

    private func changes() -> String? {
        var lines: [String] = []
        let standard = Timeouts()
        if let deadline = call.timeouts.deadline { lines.append("$0.timeouts.deadline = \(Self.seconds(deadline))") }
        if call.timeouts.connect != standard.connect, let connect = call.timeouts.connect {
            lines.append("$0.timeouts.connect = \(Self.seconds(connect))")
        }
        if call.httpVersion != .automatic { lines.append("$0.httpVersion = .\(call.httpVersion)") }
        if call.followsRedirects, call.maximumRedirects != 20 {
            lines.append("$0.redirects.limit = \(call.maximumRedirects)")
        }
        if call.preservesPOST { lines.append("$0.redirects.preservesPOST = true") }
        return lines.isEmpty ? nil : "{ \(lines.joined(separator: "; ")) }"
    }

    private static func seconds(_ duration: Duration) -> String {
        let (seconds, attoseconds) = duration.components
        return attoseconds == 0
            ? ".seconds(\(seconds))" : ".milliseconds(\(seconds * 1000 + attoseconds / 1_000_000_000_000_000))"
    }

    // MARK: - Text

    private mutating func secret(_ value: String, _ name: String) -> String {
        if plan.showsSecrets { return Self.literal(value) }
        usesSecret = true
        let words = name.uppercased().split { !($0.isASCII && ($0.isLetter || $0.isNumber)) }
        return "secret(\(Self.literal(words.isEmpty ? "SECRET" : words.joined(separator: "_"))))"
    }

    /// The arguments on one line, or each on its own where that line would be long.
    private static func list(_ arguments: [String], before: Int) -> String {
        let line = arguments.joined(separator: ", ")
        if line.count + before < 110, !line.contains("\n") { return line }
        return "\n    "
            + arguments.map { $0.replacingOccurrences(of: "\n", with: "\n    ") }.joined(separator: ",\n    ")
    }

    static func literal(_ text: String) -> String { "\"\(escaped(text))\"" }

    private static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\": result += "\\\\"
            case "\"": result += "\\\""
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            case _
            where scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value)
                || (0x202A...0x202E).contains(scalar.value):
                result += "\\u{\(String(scalar.value, radix: 16))}"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
