// SPDX-License-Identifier: Apache-2.0

import StrataCore

/// What both ends have agreed on about compression (RFC 7692 §7.1).
struct CompressionTerms: Equatable {
    var clientWindowBits = 15
    var serverWindowBits = 15
    var clientKeepsContext = true
    var serverKeepsContext = true

    /// Reads a server's `Sec-WebSocket-Extensions`.
    ///
    /// - Parameters:
    ///   - values: of all field lines.
    ///   - offer: what the client has offered.
    /// - Returns: `nil` when the server uses no extension.
    /// - Throws: `protocolViolation` for what was not offered, or does not fit the offer (RFC 6455 §9.1, RFC 7692 §7.1.2).
    static func accepted(_ values: [String], offer: WebSocket.Compression?) throws -> CompressionTerms? {
        let extensions = try values.flatMap(ExtensionField.parse)
        guard let first = extensions.first else { return nil }
        guard let offer, extensions.count == 1, first.name == "permessage-deflate" else {
            throw ExtensionField.mistake("the server uses an extension that it was not offered")
        }
        var terms = CompressionTerms(
            clientWindowBits: offer.clientWindowBits, clientKeepsContext: !offer.resetsClientContext)
        var seen: Set<String> = []
        for (name, value) in first.parameters {
            guard seen.insert(name).inserted else {
                throw ExtensionField.mistake("the server's permessage-deflate has the parameter \(name) twice")
            }
            switch name {
            case "server_no_context_takeover" where value == nil: terms.serverKeepsContext = false
            case "client_no_context_takeover" where value == nil: terms.clientKeepsContext = false
            case "server_max_window_bits":
                terms.serverWindowBits = try bits(value, atMost: offer.serverWindowBits)
            case "client_max_window_bits":
                terms.clientWindowBits = try min(terms.clientWindowBits, bits(value, atMost: 15))
            default:
                throw ExtensionField.mistake("the server's permessage-deflate has a parameter that is not allowed")
            }
        }
        // By leaving them out the server would refuse them, and then it must not use the extension at all (RFC 7692 §7.1.1.1, §7.1.2.1).
        if offer.resetsServerContext, terms.serverKeepsContext {
            throw ExtensionField.mistake("the server keeps its context, and was asked not to (RFC 7692 §7.1.1.1)")
        }
        if offer.serverWindowBits < 15, !seen.contains("server_max_window_bits") {
            throw ExtensionField.mistake("the server has a larger window than it was asked for (RFC 7692 §7.1.2.1)")
        }
        return terms
    }

    private static func bits(_ value: String?, atMost limit: Int) throws -> Int {
        guard let value, value.utf8.first != UInt8(ascii: "0"), value.utf8.allSatisfy(\.isDigit), let bits = Int(value),
            (8...limit).contains(bits)
        else {
            throw ExtensionField.mistake("the server's permessage-deflate names a window that is not allowed")
        }
        return bits
    }
}

extension WebSocket.Compression {
    /// For `Sec-WebSocket-Extensions`.
    var offer: String {
        var text = "permessage-deflate; client_max_window_bits"
        if clientWindowBits < 15 { text += "=\(clientWindowBits)" }
        if serverWindowBits < 15 { text += "; server_max_window_bits=\(serverWindowBits)" }
        if resetsClientContext { text += "; client_no_context_takeover" }
        if resetsServerContext { text += "; server_no_context_takeover" }
        return text
    }
}

/// The members of `Sec-WebSocket-Extensions` (RFC 6455 §9.1).
enum ExtensionField {
    typealias Member = (name: String, parameters: [(String, String?)])

    static func mistake(_ message: String) -> NetworkClientError { NetworkClientError(.protocolViolation, message) }

    /// - Throws: `protocolViolation` for a value that does not follow the grammar.
    static func parse(_ value: String) throws -> [Member] {
        var reader = FieldReader(Array(value.utf8))
        var members: [Member] = []
        let malformed = mistake("Sec-WebSocket-Extensions does not follow its grammar (RFC 6455 §9.1)")
        while true {
            reader.skipBlanks()
            // Empty members count for nothing (RFC 9110 §5.6.1.2).
            if reader.isAtEnd { return members }
            if reader.consume(UInt8(ascii: ",")) { continue }
            guard let name = reader.token() else { throw malformed }
            var parameters: [(String, String?)] = []
            reader.skipBlanks()
            while reader.consume(UInt8(ascii: ";")) {
                reader.skipBlanks()
                guard let parameter = reader.token() else { throw malformed }
                reader.skipBlanks()
                var value: String?
                if reader.consume(UInt8(ascii: "=")) {
                    reader.skipBlanks()
                    let quoted = reader.quotedString(mayBeCutOff: false).map { String(decoding: $0, as: UTF8.self) }
                    value = quoted ?? reader.token()
                    if value == nil { throw malformed }
                }
                parameters.append((parameter, value))
                reader.skipBlanks()
            }
            guard reader.isAtEnd || reader.peek() == UInt8(ascii: ",") else { throw malformed }
            members.append((name, parameters))
        }
    }
}
