// SPDX-License-Identifier: Apache-2.0

import HTTPTypes

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

extension NetworkClientProtocol {
    public func run<RequestModel, ResponseModel>(
        _ networkRequest: NetworkRequest<RequestModel, ResponseModel>
    ) async throws -> NetworkResponse<ResponseModel> {
        let (request, decoder) = try prepare(networkRequest)
        let response = try await executeChecked(request, decoder: decoder)
        let value = try await decodeBody(
            of: response, as: ResponseModel.self, options: request.options, decoder: decoder,
            networkRequest.concurrentDecoding)
        // A layer may have put another body in the place of the one that came.
        let trailers = try? response.body.trailers()
        return NetworkResponse(
            value: value, response: response.head, exchange: response.exchange,
            request: response.request ?? request.head, trailers: trailers)
    }

    /// The same for models that may cross actors: a body of more than 64 KiB is decoded outside of the caller's actor.
    ///
    /// So an app's main actor goes on meanwhile. The compiler chooses it where it knows the client's type; the verbs
    /// (`client.get` …) do so for any client.
    public func run<RequestModel: Sendable, ResponseModel: Sendable>(
        // `sending` takes nothing from what is `Sendable`. It keeps a conforming type from having two functions for the
        // requirement.
        _ networkRequest: sending NetworkRequest<RequestModel, ResponseModel>
    ) async throws -> NetworkResponse<ResponseModel> {
        var request = networkRequest
        request.concurrentDecoding = ConcurrentDecoding()
        return try await runRequirement(request)
    }

    /// `run` as the client has it, whatever the models are.
    private func runRequirement<RequestModel, ResponseModel>(
        _ request: NetworkRequest<RequestModel, ResponseModel>
    ) async throws -> NetworkResponse<ResponseModel> {
        try await run(request)
    }

    // A function of its own, like others here: if it were inlined, the task would hold the memory for its variables
    // until the response is there.
    @inline(never)
    private func prepare<RequestModel, ResponseModel>(
        _ request: NetworkRequest<RequestModel, ResponseModel>, isOpenEnded: Bool = false
    ) throws -> (TransportRequest, any ResponseBodyDecoder) {
        let configuration = configuration
        var options = configuration.options
        if isOpenEnded { options.makeOpenEnded() }
        var built = try configuration.recordedTransportRequest(for: request, options: options)
        if !isOpenEnded { built.options.collectsBody() }
        return (built, request.decoder ?? configuration.defaultDecoder)
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
    /// Only the timeouts `connect` and `idle` apply, unless the request sets others: a stream may last.
    ///
    /// - Throws: as ``run(_:)``, except for decoding.
    public func open<RequestModel, ResponseModel>(
        _ request: NetworkRequest<RequestModel, ResponseModel>
    ) async throws -> TransportResponse {
        let (request, decoder) = try prepare(request, isOpenEnded: true)
        return try await executeChecked(request, decoder: decoder)
    }

    private func executeChecked(
        _ request: TransportRequest, decoder: any ResponseBodyDecoder
    ) async throws -> TransportResponse {
        do {
            return try await checkStatus(of: try await execute(request), options: request.options, decoder: decoder)
        } catch {
            throw error.readable(by: decoder)
        }
    }

    /// Returns the response when its status is acceptable.
    ///
    /// - Throws: ``NetworkClientError/Code-swift.struct/unacceptableStatus`` with the start of the body.
    package func checkStatus(
        of response: TransportResponse, options: RequestOptions, decoder: (any ResponseBodyDecoder)?
    ) async throws -> TransportResponse {
        if response.isAccepted(by: options) { return response }
        throw try await response.refusal(.unacceptableStatus, response.statusMessage, decoder: decoder)
    }

    /// Collects the body within the limit and reads it as a model.
    package func decodeBody<Model: Decodable>(
        of response: TransportResponse, as type: Model.Type, options: RequestOptions, decoder: any ResponseBodyDecoder,
        _ concurrent: ConcurrentDecoding<Model>? = nil
    ) async throws -> Model {
        let limit = options.collectionLimit
        let data: Data
        do {
            if ModelDecoding.isVoid(type) {
                let isEmpty = try await response.body.drain(upTo: limit) == 0
                return try ModelDecoding.void(type, isEmpty: isEmpty, response.head)
            }
            data = try await response.body.collect(upTo: limit)
        } catch {
            throw response.attached(to: error)
        }
        do {
            let model = try await concurrent?.model(from: data, response: response.head, decoder: decoder)
            return try model ?? ModelDecoding.decode(type, from: data, response: response.head, decoder: decoder)
        } catch {
            throw undecodable(type, data, decoder, response.head, response.exchange, cause: error)
        }
    }

    /// Reads a body that has arrived as a model by the decoder, `Data` and `String` too; one of no bytes is `nil` for an
    /// optional.
    ///
    /// - Throws: `decodingFailed`, of which the client's hook is told.
    package func decodeValue<Model: Decodable>(
        _ type: Model.Type, in response: NetworkResponse<Data>, decoder: any ResponseBodyDecoder
    ) throws -> Model {
        let (data, head) = (response.value, response.response)
        do {
            return try ModelDecoding.value(type, from: data, response: head, decoder: decoder)
        } catch {
            throw undecodable(type, data, decoder, head, response.exchange, cause: error)
        }
    }

    /// The error of a body that could not be read, of which the client's hook is told.
    @inline(never)
    private func undecodable(
        _ type: any Any.Type, _ data: Data, _ decoder: any ResponseBodyDecoder, _ head: HTTPResponse,
        _ exchange: ExchangeRecord, cause: any Error
    ) -> NetworkClientError {
        let kind = decoder.unreadableType(of: head).map { ", which is \($0)," } ?? ""
        let failure = NetworkClientError.decodingFailed(
            "the body\(kind) could not be decoded as \(modelName(type))", cause: cause, of: data,
            in: head, exchange, decoder: decoder)
        configuration.onDecodingFailure?(failure)
        return failure
    }
}

extension Error {
    /// Gives the error the call's decoder, which a layer that judges statuses does not know.
    @inline(never)
    fileprivate func readable(by decoder: any ResponseBodyDecoder) -> any Error {
        guard var error = self as? NetworkClientError, error.body != nil, error.decoder == nil else { return self }
        error.decoder = decoder
        return error
    }
}
