// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataCore
import StrataEncoding
import StrataStreaming

/// Writes the body of a response: as it comes, or formatted when it is there.
struct BodyPrinter {
    let plan: Plan
    let output: any Output
    let terminal: Terminal

    /// A body of more bytes is written as it comes, without format.
    private static let longestFormatted = 8 << 20

    var palette: Palette { Palette(isOn: plan.isColored) }
    /// Bytes go out as they came in.
    var isPlain: Bool { !terminal.isOutput && !plan.isIndented && !plan.isColored }

    func show(_ response: TransportResponse) async throws {
        let type = MediaType(of: response.head)
        let essence = type?.essence.lowercased()
        if isPlain {
            for try await piece in response.body { try output.write(piece) }
        } else if essence == "text/event-stream" {
            try await showEvents(ServerSentEvents(response))
        } else if essence == "application/jsonl" || essence == "application/x-ndjson"
            || (plan.streams && type?.isJSON == true)
        {
            try await showLines(TextLines(response))
        } else if plan.streams {
            try await showPieces(response.body)
        } else {
            try await showWhole(response, type: type)
        }
    }

    private func showEvents(_ events: ServerSentEvents) async throws {
        for try await event in events {
            var text = ""
            if event.type != "message" {
                text += "\(palette.paint("event", .fieldName)): \(TerminalText.safe(event.type))\n"
            }
            if let id = event.id { text += "\(palette.paint("id", .fieldName)): \(TerminalText.safe(id))\n" }
            text += "\(palette.paint("data", .fieldName)): \(formatted(Data(event.data.utf8)))\n\n"
            try output.write(text)
        }
    }

    private func showLines(_ lines: TextLines) async throws {
        for try await line in lines { try output.write(formatted(Data(line.utf8)) + "\n") }
    }

    func formatted(_ data: Data) -> String {
        JSONFormat(isIndented: plan.isIndented && !plan.streams, palette: palette).format(data)
            ?? TerminalText.safe(String(decoding: data, as: UTF8.self))
    }

    private func showWhole(_ response: TransportResponse, type: MediaType?) async throws {
        var body = Data()
        var pieces = response.body.makeAsyncIterator()
        while body.count <= Self.longestFormatted {
            guard let piece = try await next(&pieces, keeping: body) else {
                return try showText(body, response.head, type)
            }
            body += piece
        }
        var text = TerminalText()
        func show(_ piece: Data) throws {
            try output.write(terminal.isOutput ? Data(text.feed(piece).utf8) : piece)
        }
        try show(body)
        while let piece = try await pieces.next() { try show(piece) }
        if terminal.isOutput { try output.write(text.end() + "\n") }
    }

    /// - Throws: what the body throws, when what has come of it is written.
    private func next(_ pieces: inout ResponseBody.AsyncIterator, keeping body: Data) async throws -> Data? {
        do { return try await pieces.next() } catch {
            try write(body)
            throw error
        }
    }

    private func showText(_ body: Data, _ head: HTTPResponse, _ type: MediaType?) throws {
        if let json = JSONFormat(isIndented: plan.isIndented, palette: palette).format(body), type?.isJSON != false {
            try output.write(json + "\n")
        } else if let charset = type?.charset, charset.lowercased() != "utf-8",
            let text = try? PlainTextDecoder().decode(String.self, from: body, response: head)
        {
            try write(Data(text.utf8))
        } else {
            try write(body)
        }
    }

    private func write(_ body: Data) throws {
        guard terminal.isOutput else { return try output.write(body) }
        if TerminalText.isBinary(body) {
            return try output.write(palette.paint("(\(body.count) bytes that are no text)", .faint) + "\n")
        }
        try output.write(TerminalText.safe(String(decoding: body, as: UTF8.self)))
        if !body.isEmpty, body.last != UInt8(ascii: "\n") { try output.write("\n") }
    }

    private func showPieces(_ body: ResponseBody) async throws {
        var text = TerminalText()
        for try await piece in body {
            try output.write(terminal.isOutput ? Data(text.feed(piece).utf8) : piece)
        }
        if terminal.isOutput { try output.write(text.end()) }
    }
}
