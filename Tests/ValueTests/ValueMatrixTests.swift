// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataCore
import StrataEncoding
import StrataRest
import StrataTesting
import TestSupport
import Testing

/// Every value in every place, through every front end.
struct ValueMatrixTests {
    init() throws {
        try Data("the file's".utf8).write(to: ValueTable.file, options: .atomic)
    }

    @Test(arguments: ValueTable.rows)
    func aValueIsSentAsTheTableSays(row: ValueRow) async throws {
        var tried = 0
        for (frontEnd, senders) in row.senders {
            for (place, sender) in senders {
                let cell = try await sent(by: sender, in: place)
                let expected = try #require(row.cell(place, frontEnd))
                #expect(agrees(cell, with: expected), "\(frontEnd.rawValue), \(place.rawValue): \(cell)")
                tried += 1
            }
        }
        #expect(tried > 4)
    }

    /// A front end differs only where the table gives a reason, and the reason is not idle.
    @Test(arguments: ValueTable.rows)
    func anExceptionIsOne(row: ValueRow) {
        for exception in row.exceptions {
            #expect(row.cells[exception.place] != exception.cell)
            #expect(row.senders[exception.frontEnd]?[exception.place] != nil)
        }
    }

    @Test func thePageOfTheGuideIsTheTable() throws {
        let page = try PackageFolder.read("Docs.docc/Values.md")
        let missing = ValuesPage.lines.filter { !page.contains($0) }
        #expect(missing == [])
        let rows = page.components(separatedBy: "\n| ").count - 1
        #expect(rows == ValuesPage.lines.count, "the page has a row that the table does not have")
    }

    private func agrees(_ cell: Cell, with expected: Cell) -> Bool {
        if case .error(let words) = cell, case .error(let part) = expected {
            return words.contains(part) || part.isEmpty
        }
        return cell == expected
    }

    private func sent(by sender: Sender, in place: Place) async throws -> Cell {
        do {
            guard let request = try await sender.request() else { return .error("not sent") }
            return try place.shown(request)
        } catch {
            return .error(Self.words(of: error))
        }
    }

    /// What an error and those that caused it say.
    private static func words(of error: any Error) -> String {
        switch error {
        case let error as NetworkClientError: error.message + " " + (error.cause.map(words) ?? "")
        case let error as EncodingError: error.outline ?? ""
        case RestQueryError.encode(let error): error.outline ?? ""
        case RestQueryError.other(let error): words(of: error)
        default: "\(error)"
        }
    }
}

extension Place {
    /// What the place of a request holds.
    fileprivate func shown(_ request: RecordedRequest) throws -> Cell {
        switch self {
        case .path: return .sent(Self.decoded(String(request.path.dropFirst("/x/".count))))
        case .query: return request.query.map { .sent(Self.decoded($0)) } ?? .nothing
        case .header: return request["X-V"].map { .sent($0) } ?? .nothing
        case .form:
            return request.text.isEmpty
                ? .nothing : .sent(Self.decoded(request.text.replacingOccurrences(of: "+", with: " ")))
        case .json: return .sent(try JSONValue(parsing: request.body).description)
        case .part: return try Self.parts(of: request)
        case .body:
            guard request.hasBody else { return .nothing }
            let isJSON = request["Content-Type"] == "application/json"
            return .sent(isJSON ? try JSONValue(parsing: request.body).description : request.text)
        }
    }

    private static func decoded(_ text: String) -> String { text.removingPercentEncoding ?? text }

    private static func parts(of request: RecordedRequest) throws -> Cell {
        guard request.hasBody, let boundary = MediaType(request["Content-Type"] ?? "")?["boundary"] else {
            return .nothing
        }
        let parts = try MultipartDecoder().parts(in: request.body, boundary: boundary).map { part in
            #expect(part.name == "v")
            let about = [part.contentType?.essence, part.filename].compactMap { $0 }.joined(separator: ", ")
            return (about.isEmpty ? "" : "(\(about)) ") + String(decoding: part.body.data ?? Data(), as: UTF8.self)
        }
        return parts.isEmpty ? .nothing : .sent(parts.joined(separator: " | "))
    }
}
