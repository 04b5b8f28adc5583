// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataStreaming

/// The HTML standard's algorithm (§9.2.6) word by word, over the whole stream at once: slow, and easy to check by eye.
///
/// The parser under test is compared with it.
struct ReferenceParser {
    private(set) var items: [ServerSentEventParser.Item] = []
    private(set) var lastEventID = ""
    private(set) var reconnectionTime: Duration?

    init(_ bytes: Data) {
        var (dataBuffer, eventTypeBuffer, lastEventIDBuffer) = ("", "", "")
        var (id, retry): (String?, Duration?) = (nil, nil)
        for line in Self.lines(of: bytes) {
            if line.isEmpty {
                lastEventID = lastEventIDBuffer
                if !dataBuffer.isEmpty {
                    dataBuffer.unicodeScalars.removeLast()
                    let type = eventTypeBuffer.isEmpty ? "message" : eventTypeBuffer
                    items.append(
                        .event(
                            ServerSentEvent(
                                type: type, data: dataBuffer, id: id, retry: retry, lastEventID: lastEventIDBuffer)))
                }
                (dataBuffer, eventTypeBuffer, id, retry) = ("", "", nil, nil)
                continue
            }
            let colon = line.firstIndex(of: ":")
            if colon == line.startIndex {
                items.append(.comment(Self.string(line.dropFirst())))
                continue
            }
            let field = Self.string(line[..<(colon ?? line.endIndex)])
            var rest = colon.map { line[line.index(after: $0)...] } ?? line[line.endIndex...]
            if rest.first == " " { rest.removeFirst() }
            let value = Self.string(rest)
            switch field {
            case "event": eventTypeBuffer = value
            case "data": dataBuffer += value + "\n"
            case "id" where !value.unicodeScalars.contains("\0"):
                lastEventIDBuffer = value
                id = value
            case "retry" where !value.isEmpty && value.utf8.allSatisfy({ (0x30...0x39).contains($0) }):
                retry = .milliseconds(Int64(value) ?? .max)
                reconnectionTime = retry
            default: break
            }
        }
    }

    /// The lines that have an end.
    private static func lines(of bytes: Data) -> [[Unicode.Scalar]] {
        var scalars = Array(String(decoding: bytes, as: UTF8.self).unicodeScalars)
        if scalars.first == "\u{FEFF}" { scalars.removeFirst() }
        var lines: [[Unicode.Scalar]] = []
        var line: [Unicode.Scalar] = []
        var index = 0
        while index < scalars.count {
            switch scalars[index] {
            case "\r":
                if index + 1 < scalars.count, scalars[index + 1] == "\n" { index += 1 }
                lines.append(line)
                line = []
            case "\n":
                lines.append(line)
                line = []
            default: line.append(scalars[index])
            }
            index += 1
        }
        return lines
    }

    private static func string(_ scalars: some Sequence<Unicode.Scalar>) -> String {
        var view = String.UnicodeScalarView()
        view.append(contentsOf: scalars)
        return String(view)
    }
}
