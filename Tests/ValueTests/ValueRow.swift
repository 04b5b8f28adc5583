// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// Where in a request a value may stand.
enum Place: String, CaseIterable, Sendable {
    case path, query, header, form, json = "JSON", part, body
}

enum FrontEnd: String, CaseIterable, Sendable {
    case core = "NetworkRequest", api = "@API", requests = "Requests", rest = "@Rest"
}

/// What a place sends for a value.
enum Cell: Hashable, Sendable, ExpressibleByStringLiteral {
    /// As it is decoded, JSON with its keys sorted, parts with `|` between them.
    case sent(String)
    /// The value is left out.
    case nothing
    /// Nothing is sent: the call fails, and its error has these words.
    case error(String)

    init(stringLiteral value: String) { self = .sent(value) }

    static let isFile = Cell.error("a file is sent as a whole body or in a multipart form")
    static let isRange = Cell.error("a range has no text")
    static let isObject = Cell.error("an object or a nested list has no place here")
    static let isList = Cell.error("one value, not a list")
    static let isNotText = Cell.error("is not a single piece of text")
    static let isNil = Cell.error("is nil")
}

/// What each place of a request sends for one value, and through which front ends it is tried.
struct ValueRow: Sendable, CustomTestStringConvertible {
    /// A front end that differs, with the reason.
    struct Exception: Sendable {
        let frontEnd: FrontEnd
        let place: Place
        let cell: Cell
        let reason: String
    }

    let name: String
    let cells: [Place: Cell]
    let exceptions: [Exception]
    /// A front end without a sender for a place does not take the value there: it does not compile.
    let senders: [FrontEnd: [Place: Sender]]

    var testDescription: String { name }

    func cell(_ place: Place, _ frontEnd: FrontEnd) -> Cell? {
        exceptions.first { $0.place == place && $0.frontEnd == frontEnd }?.cell ?? cells[place]
    }

    /// Any value that is `Encodable`.
    init<Value: Codable & Sendable>(
        _ name: String, _ value: Value, path: Cell, query: Cell, header: Cell, form: Cell, json: Cell, part: Cell,
        body: Cell, except exceptions: [Exception] = []
    ) {
        self.name = name
        cells = [
            .path: path, .query: query, .header: header, .form: form, .json: json, .part: part, .body: body,
        ]
        self.exceptions = exceptions
        senders = Sender.all(of: value)
    }

    /// A value that has one text.
    ///
    /// - Parameter json: the value in JSON.
    init<Value: Codable & Sendable>(
        _ name: String, _ value: Value, text: String, json: String, part: Cell? = nil, body: Cell? = nil,
        except exceptions: [Exception] = []
    ) {
        self.init(
            name, value, path: .sent(text), query: .sent("v=\(text)"), header: .sent(text), form: .sent("v=\(text)"),
            json: .sent(#"{"v":\#(json)}"#), part: part ?? .sent(text), body: body ?? .sent(json), except: exceptions)
    }

    /// A value that is sent nowhere.
    init<Value: Codable & Sendable>(
        _ name: String, _ value: Value, refused cell: Cell, part: Cell? = nil, body: Cell? = nil,
        except exceptions: [Exception] = []
    ) {
        self.init(
            name, value, path: cell, query: cell, header: cell, form: cell, json: cell, part: part ?? cell,
            body: body ?? cell, except: exceptions)
    }

    /// A value that is not `Encodable`.
    init(
        _ name: String, _ senders: [FrontEnd: [Place: Sender]], path: Cell, query: Cell, header: Cell, form: Cell,
        json: Cell, part: Cell, body: Cell, except exceptions: [Exception] = []
    ) {
        self.name = name
        cells = [
            .path: path, .query: query, .header: header, .form: form, .json: json, .part: part, .body: body,
        ]
        self.exceptions = exceptions
        self.senders = senders
    }
}

extension [ValueRow.Exception] {
    static func + (left: Self, right: Self) -> Self {
        var all = left
        all.append(contentsOf: right)
        return all
    }

    private static func one(_ frontEnd: FrontEnd, _ place: Place, _ cell: Cell, _ reason: String) -> Self {
        [ValueRow.Exception(frontEnd: frontEnd, place: place, cell: cell, reason: reason)]
    }

    /// What these front ends write as a body is JSON, text and data too.
    static func jsonBodies(_ json: Cell, in frontEnds: [FrontEnd]) -> Self {
        frontEnds.flatMap { one($0, .body, json, "the body is always JSON") }
    }

    /// A template has notations for lists and objects (RFC 6570 §3.2.2).
    static func template(_ path: Cell) -> Self { one(.core, .path, path, "a `URITemplate` has a notation for it") }

    /// Each element of a list is a segment.
    static func segments(_ path: Cell) -> Self { one(.requests, .path, path, "each element is a segment") }

    /// `@API` sets a field once for each element of a list.
    static func fields(_ header: Cell) -> Self { one(.api, .header, header, "a field for each element") }

    /// A dictionary has the key whatever its value is.
    static func dictionaryOfNil(_ json: Cell) -> Self {
        one(.core, .json, json, "the model is a dictionary that has the key")
            + one(.requests, .json, json, "the model is a dictionary that has the key")
    }

    static func name(_ query: Cell) -> Self { one(.requests, .query, query, "`nil` is the name alone") }
}
