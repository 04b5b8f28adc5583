// SPDX-License-Identifier: Apache-2.0

import StrataCore
import StrataEncoding

extension HARReader {
    mutating func entry(_ entry: inout Cassette.Entry) throws {
        var hasRequest = false
        var hasResponse = false
        try object { reader, key in
            switch key {
            case "startedDateTime": entry.started = try reader.stringIfAny()
            case "time": entry.end = try reader.time()
            case "request":
                hasRequest = true
                try reader.request(&entry)
            case "response":
                hasResponse = true
                try reader.response(&entry)
            case "timings": try reader.timings(&entry)
            case "_test": entry.testRange = try reader.stringIfAny()
            case "_webSocketMessages": entry.messages = try reader.messages()
            case "_sequence": entry.sequence = try reader.count()
            default: try reader.skip()
            }
        }
        guard hasRequest else { throw error("the entry has no request") }
        guard hasResponse else { throw error("the entry has no response") }
        entry.end = max(entry.end, entry.headTime)
        entry.placeMessages()
    }

    /// The response's head comes when blocking, lookup, connecting (in which TLS is counted), sending and waiting are over.
    private mutating func timings(_ entry: inout Cassette.Entry) throws {
        var head = Duration.zero
        try object { reader, key in
            switch key {
            case "blocked", "dns", "connect", "send", "wait": head += try reader.time()
            default: try reader.skip()
            }
        }
        entry.headTime = head
    }

    private mutating func request(_ entry: inout Cassette.Entry) throws {
        var method: Range<Int>?
        var url: Range<Int>?
        try object { reader, key in
            switch key {
            case "method": method = try reader.string()
            case "url": url = try reader.string()
            case "headers": entry.requestFieldsRange = try reader.fields()
            case "postData": try reader.postData(&entry.requestContent)
            case "bodySize":
                let size = try reader.numberIfAny() ?? 0
                guard size >= -1, size <= 0x1p53 else { throw reader.error("\(size) is not a size in bytes") }
                entry.requestSize = Int64(max(size, 0))
            case "_pieces": entry.requestPieces = try reader.pieces()
            default: try reader.skip()
            }
        }
        guard let method, let url else { throw error("the request has no \(method == nil ? "method" : "url")") }
        guard let method = HTTPMethod(text.string(method)) else { throw error("the method is not a token") }
        entry.method = method
        entry.url = text.string(url)
    }

    private mutating func response(_ entry: inout Cassette.Entry) throws {
        try object { reader, key in
            switch key {
            case "status":
                let status = try reader.numberIfAny() ?? 0
                guard status == 0 || (100...999).contains(status), status == status.rounded() else {
                    throw reader.error("\(status) is not a status")
                }
                entry.status = Int(status)
            case "httpVersion": entry.version = try reader.stringIfAny()
            case "headers": entry.responseFieldsRange = try reader.fields()
            case "_trailers": entry.trailersRange = try reader.fields()
            case "content": try reader.content(&entry.responseContent)
            case "redirectURL": entry.redirect = try reader.stringIfAny()
            case "_pieces": entry.responsePieces = try reader.pieces()
            case "_error":
                guard try reader.scanner.peekKind() == .string else { return try reader.skip() }
                entry.errorRange = try reader.string()
            case "_errorMessage": entry.errorMessage = try reader.stringIfAny()
            case "_errorTimeout": entry.errorTimeout = try reader.stringIfAny()
            case "_errorIsUnprocessed": entry.isUnprocessed = try reader.flag()
            default: try reader.skip()
            }
        }
    }

    private mutating func content(_ content: inout Cassette.Content) throws {
        try object { reader, key in
            switch key {
            case "text": content.text = try reader.stringIfAny()
            case "encoding", "_encoding":
                content.isBase64 =
                    try reader.stringIfAny().map { reader.text.string($0).lowercased() == "base64" } ?? false
            case "_file": content.file = try reader.fileName()
            case "_withheld": content.isWithheld = try reader.flag()
            case "size":
                // Firefox writes -1 where it does not know.
                guard let size = try reader.numberIfAny() else { return }
                guard size >= -1, size <= 0x1p53 else { throw reader.error("\(size) is not a size in bytes") }
                content.size = Int64(max(size, 0))
            default: try reader.skip()
            }
        }
        try check(content)
    }

    private mutating func postData(_ content: inout Cassette.Content) throws {
        guard try scanner.peekKind() != .null else { return try skip() }
        content.isPresent = true
        try object { reader, key in
            switch key {
            case "text": content.text = try reader.stringIfAny()
            case "params":
                _ = reader.scanner.peek()
                content.params = reader.scanner.position
                try reader.parameters()
            case "encoding", "_encoding":
                content.isBase64 =
                    try reader.stringIfAny().map { reader.text.string($0).lowercased() == "base64" } ?? false
            case "_file": content.file = try reader.fileName()
            case "_withheld": content.isWithheld = try reader.flag()
            default: try reader.skip()
            }
        }
        try check(content)
    }

    /// Base64 in its alphabet, with or without padding and white space (RFC 4648 §4).
    func check(_ content: Cassette.Content) throws {
        guard content.isBase64, let range = content.text else { return }
        let digits = text.content(range).filter { !$0.isWhitespace && $0 != UInt8(ascii: "=") }
        guard digits.count % 4 != 1, digits.allSatisfy({ $0.isLetter || $0.isDigit || "+/-_".utf8.contains($0) }) else {
            throw error("the text is not base64")
        }
    }

    private mutating func parameters() throws {
        try array { reader, _ in
            try reader.object { reader, key in
                switch key {
                case "name": _ = try reader.string()
                case "value", "fileName": _ = try reader.stringIfAny()
                default: try reader.skip()
                }
            }
        }
    }

    /// A name beneath the cassette's folder.
    mutating func fileName() throws -> Range<Int>? {
        guard let range = try stringIfAny() else { return nil }
        let name = text.string(range)
        let parts = name.split(separator: "/", omittingEmptySubsequences: false)
        guard !parts.isEmpty, !parts.contains(where: { $0.isEmpty || $0 == "." || $0 == ".." }),
            !name.utf8.contains(where: { $0 < 0x20 || $0 == UInt8(ascii: "\\") })
        else { throw error("the file's name leads out of the cassette's folder") }
        return range
    }

    /// Where the array of fields stands. Names that begin with a colon are those of HTTP/2's pseudo fields, which browsers
    /// list among the others.
    private mutating func fields() throws -> Range<Int> {
        _ = scanner.peek()
        let start = scanner.position
        try array { reader, _ in
            // Most of a file is fields: their keys are compared where they stand.
            try reader.members { reader, key in
                if reader.text.isEqual(key, "name") {
                    let name = reader.text.bytes[try reader.string()]
                    let token = name.first == UInt8(ascii: ":") ? name.dropFirst() : name
                    guard !token.isEmpty, token.allSatisfy(\.isTokenCharacter) else {
                        throw reader.error("the name of a field is a token")
                    }
                } else if reader.text.isEqual(key, "value") {
                    _ = try reader.stringIfAny()
                } else {
                    try reader.skip()
                }
            }
        }
        return start..<scanner.position
    }

    /// `[[milliseconds, bytes], …]`
    private mutating func pieces() throws -> [Cassette.Piece] {
        var pieces: [Cassette.Piece] = []
        try array { reader, _ in
            var piece = Cassette.Piece(time: .zero, count: 0)
            var length = 0
            try reader.array { reader, index in
                length = index + 1
                switch index {
                case 0: piece.time = try reader.time()
                case 1: piece.count = try reader.count()
                default: try reader.skip()
                }
            }
            guard length == 2 else { throw reader.error("a piece is a time and a number of bytes") }
            if let last = pieces.last, piece.time < last.time { piece.time = last.time }
            pieces.append(piece)
        }
        return pieces
    }

    mutating func flag() throws -> Bool {
        guard try scanner.peekKind() == .bool else { throw error("expected true or false") }
        let range = try scanner.skipValue()
        return text.bytes[range.lowerBound] == UInt8(ascii: "t")
    }
}

extension HARReader {
    /// For an array that has been checked already.
    init(_ text: HARText, name: String, at start: Int) {
        self.init(text, name: name)
        scanner = JSONScanner(text.bytes, at: start)
    }

    mutating func pairs() throws -> [(name: String, value: String)] {
        var pairs: [(name: String, value: String)] = []
        try array { reader, _ in
            var pair = (name: "", value: "")
            try reader.object { reader, key in
                switch key {
                case "name": pair.name = try reader.stringIfAny().map(reader.text.string) ?? ""
                case "value": pair.value = try reader.stringIfAny().map(reader.text.string) ?? ""
                default: try reader.skip()
                }
            }
            pairs.append(pair)
        }
        return pairs
    }
}
