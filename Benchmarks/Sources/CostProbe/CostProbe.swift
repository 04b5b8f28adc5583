// SPDX-License-Identifier: Apache-2.0

import Harness
import HTTPTypes
import StrataCore
import StrataCurl
import StrataNative

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Small GETs over one transport and nothing else, for `scripts/guard-costs`, which counts what they cost:
///
///     transport=curl|native [executor=loop] url=… c=1 n=2000 warm=1000
@main
struct CostProbe {
    static func main() async throws {
        let arguments = Arguments()
        let transport = makeTransport(arguments)
        let client = NetworkClient(
            configuration: NetworkConfiguration(
                baseURL: nil, transport: transport, defaultEncoder: NoFormat(), defaultDecoder: NoFormat()))
        let request = try TransportRequest(url: arguments.url)
        let onLoop = arguments.text("executor", "") == "loop"
        let executors = onLoop ? (transport as? NativeTransport)?.loopExecutors ?? [] : []
        try await Measurement(arguments, executors: executors).run {
            try await client.execute(request).body.collect().count
        }
    }

    private static func makeTransport(_ arguments: Arguments) -> any NetworkTransport {
        if arguments.text("transport", "curl") == "native" {
            var configuration = NativeTransport.Configuration()
            configuration.proxy = .none
            return NativeTransport(configuration: configuration)
        }
        var configuration = CurlTransport.Configuration()
        configuration.proxy = .none
        return CurlTransport(configuration: configuration)
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
