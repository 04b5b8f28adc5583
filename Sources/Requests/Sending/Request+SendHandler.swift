// SPDX-License-Identifier: Apache-2.0

public import StrataCore

#if canImport(FoundationNetworking)
public import FoundationNetworking
#else
public import Foundation
#endif

extension Request {
    /// Sends the request and calls back with the whole response, on no particular thread.
    ///
    /// - Parameters:
    ///   - session: wins over what the request names.
    ///   - client: wins over the session.
    ///   - autoResumeTask: whether the request is sent at once; if not, when the task is resumed. Default: yes.
    ///   - completion: is called once, also for a cancelled task: with `urlError` and code `cancelled`.
    @discardableResult
    public func send(
        session: URLSession? = nil, client: (any NetworkClientProtocol)? = nil, autoResumeTask: Bool = true,
        completion: @escaping @Sendable (Result<Response, RequestError>) -> Void
    ) -> RequestTask {
        let client = resolvedClient(client, session: session)
        return start(autoResumeTask, completion) { try await send(through: client) }
    }

    /// Sends the request and calls back with the response as a model, on no particular thread.
    @discardableResult
    public func send<Model: Decodable & SendableMetatype>(
        decoder: (any ResponseBodyDecoder)? = nil, session: URLSession? = nil,
        client: (any NetworkClientProtocol)? = nil, autoResumeTask: Bool = true,
        completion: @escaping @Sendable (Result<Model, RequestError>) -> Void
    ) -> RequestTask {
        let client = resolvedClient(client, session: session)
        return start(autoResumeTask, completion) {
            try await send(Model.self, decoder: decoder, through: client).responseModel
        }
    }

    /// Sends the request and calls back with the response as a model, and its head, on no particular thread.
    @discardableResult
    public func send<Model: Decodable & SendableMetatype>(
        decoder: (any ResponseBodyDecoder)? = nil, session: URLSession? = nil,
        client: (any NetworkClientProtocol)? = nil, autoResumeTask: Bool = true,
        completion: @escaping @Sendable (Result<ResponseModel<Model>, RequestError>) -> Void
    ) -> RequestTask {
        let client = resolvedClient(client, session: session)
        return start(autoResumeTask, completion) { try await send(Model.self, decoder: decoder, through: client) }
    }

    private func start<Value>(
        _ resumes: Bool, _ completion: @escaping @Sendable (Result<Value, RequestError>) -> Void,
        _ call: @escaping @Sendable () async throws -> Value
    ) -> RequestTask {
        let task = RequestTask {
            let result: Result<Value, RequestError>
            do {
                try Task.checkCancellation()
                result = .success(try await call())
            } catch {
                result = .failure(requestError(error))
            }
            completion(result)
        }
        if resumes { task.resume() }
        return task
    }
}
