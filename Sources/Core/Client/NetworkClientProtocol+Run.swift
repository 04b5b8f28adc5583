// SPDX-License-Identifier: Apache-2.0

import HTTPTypes

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension NetworkClientProtocol {
    public func run<RequestModel, ResponseModel>(
        _ networkRequest: NetworkRequest<RequestModel, ResponseModel>
    ) async throws -> NetworkResponse<ResponseModel> {
        let configuration = configuration
        let request = try configuration.recordedTransportRequest(for: networkRequest, options: configuration.options)
        let decoder = networkRequest.decoder ?? configuration.defaultDecoder
        let response = try await executeChecked(request, decoder: decoder)
        return NetworkResponse(
            value: try await decodeBody(
                of: response, as: ResponseModel.self, options: request.options, decoder: decoder),
            response: response.head, exchange: response.exchange, request: response.request ?? request.head)
    }

    /// The request as it will go down the pipeline, without sending it.
    ///
    /// - Throws: ``NetworkClientError`` with `malformedURL`, `invalidRequest` or `encodingFailed`.
    public func makeTransportRequest<RequestModel, ResponseModel>(
        _ request: NetworkRequest<RequestModel, ResponseModel>
    ) throws -> TransportRequest {
        let configuration = configuration
        return try configuration.transportRequest(for: request, options: configuration.options)
    }

    /// Encodes, executes and checks the status; the body is still arriving.
    ///
    /// Of the timeouts only `connect` and `idle` hold, unless the request sets others: a stream may last.
    ///
    /// - Throws: as ``run(_:)``, but for decoding.
    public func open<RequestModel, ResponseModel>(
        _ request: NetworkRequest<RequestModel, ResponseModel>
    ) async throws -> TransportResponse {
        let configuration = configuration
        var options = configuration.options
        options.makeOpenEnded()
        let built = try configuration.recordedTransportRequest(for: request, options: options)
        return try await executeChecked(built, decoder: request.decoder ?? configuration.defaultDecoder)
    }

    private func executeChecked(
        _ request: TransportRequest, decoder: any ResponseBodyDecoder
    ) async throws -> TransportResponse {
        do {
            return try await checkStatus(of: try await execute(request), options: request.options, decoder: decoder)
        } catch var error as NetworkClientError where error.body != nil && error.decoder == nil {
            // A layer that judges statuses knows of no decoder.
            error.decoder = decoder
            throw error
        }
    }

    /// Hands the response on when its status is acceptable.
    ///
    /// - Throws: ``NetworkClientError/Code-swift.struct/unacceptableStatus`` with the start of the body.
    package func checkStatus(
        of response: TransportResponse, options: RequestOptions, decoder: (any ResponseBodyDecoder)?
    ) async throws -> TransportResponse {
        if response.isAccepted(by: options) { return response }
        throw try await response.refusal(
            .unacceptableStatus, "the server answered with status \(response.head.status.code)", decoder: decoder)
    }

    /// Collects the body within the limit and reads it as a model.
    package func decodeBody<Model: Decodable>(
        of response: TransportResponse, as type: Model.Type, options: RequestOptions, decoder: any ResponseBodyDecoder
    ) async throws -> Model {
        let limit = options.collectionLimit
        let data: Data
        do {
            if let void = VoidResponse() as? Model {
                let isEmpty = try await response.body.drain(upTo: limit) == 0
                return ModelDecoding.absent(type, isEmpty: isEmpty, response.head) ?? void
            }
            data = try await response.body.collect(upTo: limit)
        } catch let error as NetworkClientError {
            throw response.attached(to: error)
        }
        do {
            return try ModelDecoding.decode(type, from: data, response: response.head, decoder: decoder)
        } catch {
            let found =
                error as? NetworkClientError
                ?? NetworkClientError(.decodingFailed, "the body could not be decoded as \(Model.self)", cause: error)
            var failure = response.attached(to: found)
            failure.body = failure.body ?? data.prefix(NetworkClientError.bodyLimit)
            failure.decoder = decoder
            configuration.onDecodingFailure?(failure)
            throw failure
        }
    }
}
