// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataCore
import StrataEncoding
import StrataTesting

/// Sends a value through one front end, in one place.
struct Sender: Sendable {
    private let send: @Sendable (NetworkClient) async throws -> Void

    init(_ send: @escaping @Sendable (NetworkClient) async throws -> Void) { self.send = send }

    /// What a server gets; `nil` when the request was not sent.
    func request() async throws -> RecordedRequest? {
        let transport = ScriptedTransport(.json("{}"))
        let client = NetworkClient(
            configuration: NetworkConfiguration(baseURL: URL(string: "https://h.example"), transport: transport))
        try await send(client)
        return transport.requests.last
    }
}

extension Sender {
    private static func core<Model: Encodable & Sendable>(
        _ request: @escaping @Sendable () throws -> NetworkRequest<Model, VoidResponse>
    ) -> Sender {
        Sender { client in _ = try await client.run(try request()) }
    }

    static func core(_ value: some Codable & Sendable) -> [Place: Sender] {
        [
            .path: core {
                let path = try URITemplate("/x/{v}").expand(["v": .init(encoding: value)])
                return NetworkRequest<VoidRequest, VoidResponse>(path: path, method: .get)
            },
            .query: core {
                let items = try QueryEncoder().items(from: value, named: "v")
                return NetworkRequest<VoidRequest, VoidResponse>(path: "/x", method: .get, queryItems: items)
            },
            .header: core {
                let text = try PlainTextEncoder().string(from: value)
                return NetworkRequest<VoidRequest, VoidResponse>(
                    path: "/x", method: .get, additionalHeaders: ["X-V": text])
            },
            .form: core {
                let items = try FormEncoder().items(from: value, named: "v")
                return NetworkRequest<VoidRequest, VoidResponse>(path: "/x", method: .post, formItems: items)
            },
            .json: core { NetworkRequest(path: "/x", method: .post, body: ["v": value]) },
            .part: core {
                let form = MultipartForm(try MultipartEncoder().parts(for: value, name: "v"))
                return NetworkRequest<MultipartForm, VoidResponse>(path: "/x", method: .post, body: form)
            },
            .body: core { NetworkRequest(path: "/x", method: .post, body: value) },
        ]
    }
}
