// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import StrataCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A transport that sends through a client, because only a client gives requests a deadline.
struct ClientTransport: NetworkTransport {
    /// The client needs coders, and never uses them here.
    private struct NoCoder: RequestBodyEncoder, ResponseBodyDecoder {
        let acceptedContentTypes: [String] = []

        func encodeBody<Model: Encodable>(_ model: Model) throws -> EncodedBody {
            throw RuleViolation("a model is encoded")
        }

        func decode<Model: Decodable>(_ type: Model.Type, from data: Data, response: HTTPResponse) throws -> Model {
            throw RuleViolation("a model is decoded")
        }
    }

    private let client: NetworkClient

    init(_ transport: any NetworkTransport) {
        client = NetworkClient(
            configuration: NetworkConfiguration(
                baseURL: nil, transport: transport, defaultEncoder: NoCoder(), defaultDecoder: NoCoder()))
    }

    var capabilities: TransportCapabilities { client.configuration.transport.capabilities }

    func send(_ request: TransportRequest) async throws -> TransportResponse { try await client.execute(request) }
}
