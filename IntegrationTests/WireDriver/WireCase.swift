// SPDX-License-Identifier: Apache-2.0

import Foundation

/// One case: requests for one client, in order.
struct WireCase: Decodable {
    let id: String
    let requests: [WireRequest]

    /// All that is needed for an answer.
    struct Name: Decodable {
        let id: String
    }
}

struct WireRequest: Decodable, Sendable {
    let method: String
    var url: String
    let headers: [[String]]
    let body_b64: String?
    let body_repeat: Repeated?
    let body_chunks: [String]?
    let body_length: Int64?
    let wait_ms_before: Int?
    let sse: Bool?
    let last_event_id: String?
    /// `link`: along the `Link` fields with relation `next`, a result for each page.
    let paginate: String?
    let options: Options?

    /// A text and how often it is repeated, as a list of the two.
    struct Repeated: Decodable, Sendable {
        let text: String
        let count: Int

        init(from decoder: any Decoder) throws {
            var list = try decoder.unkeyedContainer()
            text = try list.decode(String.self)
            count = try list.decode(Int.self)
        }
    }

    struct Options: Decodable, Sendable {
        var timeout_ms: Int?
        var total_timeout_ms: Int?
        var follow_redirects: Bool?
        var max_redirects: Int?
        var ca_file: String?
        var client_cert: String?
        var client_key: String?
        var proxy: String?
        var proxy_user: String?
        var proxy_password: String?
        var user: String?
        var password: String?
        var auth: String?
        var decompress: Bool?
        var retry: Retry?
        var bearer: Bearer?
        var parallel: Int?
        var initial_retry_ms: Int?
        var stop_after_ms: Int?
        var max_events: Int?
        var idle_timeout_ms: Int?
        var reconnect: Bool?
        /// Whether the client has a cache, in memory.
        var cache: Bool?
        /// The cache mode of Fetch.
        var fetch_cache: String?
    }

    struct Retry: Decodable, Sendable {
        let max_attempts: Int
        let base_ms: Int
        let max_ms: Int
        let factor: Double?
        let max_retry_after_ms: Int?
    }

    struct Bearer: Decodable, Sendable {
        let access_token: String
        let refresh_token: String
        let token_url: String
    }
}

struct WireAnswer: Encodable {
    let id: String
    let results: [WireResult]
}

enum WireResult: Encodable, Sendable {
    case success(Success)
    case failure(kind: String, message: String)
    case events([WireEvent], errors: [WireFailure])

    struct Success: Sendable {
        let status: Int
        let headers: [[String]]
        let body: Data
        let url: String
        let redirects: Int
        /// The status codes of the responses before it.
        let interim: [Int]
        let trailers: [[String]]
    }

    private enum CodingKeys: String, CodingKey {
        case outcome, status, headers, body_b64, url, redirects, interim, trailers, kind, message, events, errors
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        switch self {
        case .success(let success):
            try container.encode("success", forKey: .outcome)
            try container.encode(success.status, forKey: .status)
            try container.encode(success.headers, forKey: .headers)
            try container.encode(success.body.base64EncodedString(), forKey: .body_b64)
            try container.encode(success.url, forKey: .url)
            try container.encode(success.redirects, forKey: .redirects)
            try container.encode(success.interim, forKey: .interim)
            try container.encode(success.trailers, forKey: .trailers)
        case .failure(let kind, let message):
            try container.encode("error", forKey: .outcome)
            try container.encode(kind, forKey: .kind)
            try container.encode(message, forKey: .message)
        case .events(let events, let errors):
            try container.encode("sse", forKey: .outcome)
            try container.encode(events, forKey: .events)
            try container.encode(errors, forKey: .errors)
        }
    }
}

struct WireEvent: Encodable, Sendable {
    let type: String
    let data: String
    let lastEventId: String
    let t_ms: Int64
}

struct WireFailure: Encodable, Sendable {
    let kind: String
    let message: String
    var body: String?
}
