// SPDX-License-Identifier: Apache-2.0

import Harness
import HTTPTypes
import StrataCore
import StrataCurl

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Small GETs over Curl and nothing else, for `scripts/guard-costs`, which counts what they cost: `url=… c=1 n=2000 warm=1000`.
@main
struct CostProbe {
    static func main() async throws {
        let arguments = Arguments()
        var configuration = CurlTransport.Configuration()
        configuration.proxy = .none
        let client = NetworkClient(
            configuration: NetworkConfiguration(
                baseURL: nil, transport: CurlTransport(configuration: configuration),
                defaultEncoder: NoFormat(), defaultDecoder: NoFormat()))
        let request = try TransportRequest(url: arguments.url)
        try await Measurement(arguments).run { try await client.execute(request).body.collect().count }
    }
}

/// `execute` neither encodes nor decodes.
private struct NoFormat: RequestBodyEncoder, ResponseBodyDecoder {
    var acceptedContentTypes: [String] { [] }

    func encodeBody<Model: Encodable>(_ model: Model) throws -> EncodedBody { EncodedBody(.empty, contentType: nil) }

    func decode<Model: Decodable>(_ type: Model.Type, from data: Data, response: HTTPResponse) throws -> Model {
        throw NetworkClientError(.decodingFailed, "there is no format")
    }
}
