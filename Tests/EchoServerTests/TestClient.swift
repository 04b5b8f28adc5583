// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOCore

@testable import EchoServer

/// What the routes answered.
struct EchoAnswer {
    let statusCode: Int
    let headers: HTTPFields
    let bytes: [UInt8]

    var text: String { String(decoding: bytes, as: UTF8.self) }

    /// The body, decoded.
    func json<Value: Decodable>(_ type: Value.Type = Value.self) throws -> Value {
        try JSONDecoder().decode(type, from: Data(bytes))
    }
}

/// Sends one request through the routes, without a socket. A router that is given remembers what it was asked before.
func ask(
    _ target: String, _ method: HTTPRequest.Method = .get, fields: HTTPFields = [:], body: String? = nil,
    isSecure: Bool = false, of router: EchoRouter? = nil
) async throws -> EchoAnswer {
    try await ask(
        target, method, fields: fields, bytes: body.map { Array($0.utf8) }, isSecure: isSecure, of: router)
}

func ask(
    _ target: String, _ method: HTTPRequest.Method = .get, fields: HTTPFields = [:], bytes: [UInt8]?,
    isSecure: Bool = false, of router: EchoRouter? = nil
) async throws -> EchoAnswer {
    let application = Application(responder: router ?? EchoRouter(isSecure: isSecure))
    let response = try await application.test(.router) { client in
        try await client.execute(
            uri: target, method: method, headers: fields, body: bytes.map { ByteBuffer(bytes: $0) })
    }
    return EchoAnswer(
        statusCode: response.status.code, headers: response.headers, bytes: Array(response.body.readableBytesView))
}

/// A member that is a string, or a list of strings when its name repeats.
enum OneOrMany: Decodable, Equatable, ExpressibleByStringLiteral, ExpressibleByArrayLiteral {
    case one(String)
    case many([String])

    init(stringLiteral value: String) { self = .one(value) }
    init(arrayLiteral elements: String...) { self = .many(elements) }

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let value = try? container.decode(String.self) {
            self = .one(value)
        } else {
            self = .many(try container.decode([String].self))
        }
    }
}

/// What `/anything` answers; `/get`, `/post` and others leave members out.
struct HTTPBinAnswer: Decodable {
    var args: [String: OneOrMany]?
    var data: String?
    var files: [String: String]?
    var form: [String: OneOrMany]?
    var headers: [String: String]?
    var method: String?
    var origin: String?
    var url: String?
}
