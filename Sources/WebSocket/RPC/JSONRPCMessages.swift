// SPDX-License-Identifier: Apache-2.0

/// What tells a response which request it answers (JSON-RPC 2.0 §4).
enum JSONRPCIdentifier: Hashable, Codable, Sendable {
    case number(Int)
    case text(String)
    case null

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let number = try? container.decode(Int.self) {
            self = .number(number)
        } else {
            self = .text(try container.decode(String.self))
        }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .number(let number): try container.encode(number)
        case .text(let text): try container.encode(text)
        case .null: try container.encodeNil()
        }
    }
}

enum JSONRPCKey: String, CodingKey {
    case jsonrpc, id, method, params, result, error
}

/// A request, or without an identifier a notification.
struct JSONRPCCall<Params: Encodable>: Encodable {
    var id: JSONRPCIdentifier?
    let method: String
    let params: Params?

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: JSONRPCKey.self)
        try container.encode("2.0", forKey: .jsonrpc)
        try container.encodeIfPresent(id, forKey: .id)
        try container.encode(method, forKey: .method)
        try container.encodeIfPresent(params, forKey: .params)
    }
}

/// An answer to a request of the peer.
struct JSONRPCAnswer: Encodable {
    let id: JSONRPCIdentifier
    let outcome: Result<(any Encodable & Sendable)?, JSONRPCError>

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: JSONRPCKey.self)
        try container.encode("2.0", forKey: .jsonrpc)
        try container.encode(id, forKey: .id)
        switch outcome {
        case .success(let value?): try value.encode(to: container.superEncoder(forKey: .result))
        case .success(nil): try container.encodeNil(forKey: .result)
        case .failure(let error): try container.encode(error, forKey: .error)
        }
    }
}

/// What tells the kinds of messages apart.
struct JSONRPCHead: Decodable {
    let id: JSONRPCIdentifier?
    let method: String?
    let hasResult: Bool
    let error: JSONRPCError?

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: JSONRPCKey.self)
        guard try container.decode(String.self, forKey: .jsonrpc) == "2.0" else {
            throw JSONRPCError(.invalidRequest)
        }
        id = container.contains(.id) ? try container.decode(JSONRPCIdentifier.self, forKey: .id) : nil
        method = try container.decodeIfPresent(String.self, forKey: .method)
        hasResult = container.contains(.result)
        error = try container.decodeIfPresent(JSONRPCError.self, forKey: .error)
    }
}

/// The result in a response.
struct JSONRPCResult<Model: Decodable>: Decodable {
    let result: Model

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: JSONRPCKey.self)
        result = try container.decode(Model.self, forKey: .result)
    }
}
