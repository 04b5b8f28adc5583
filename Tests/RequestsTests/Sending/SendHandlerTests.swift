// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataRequests
import StrataTesting
import Synchronization
import TestSupport
import Testing

struct SendHandlerTests {
    private let transport = ScriptedTransport(.json(#"{"name": "Ada"}"#))
    private let request = Request(.get, url: usersURL)

    @Test func theWholeAnswerIsHandedOver() async throws {
        let response = try await withCheckedContinuation { continuation in
            request.send(client: client(transport)) { result in continuation.resume(returning: result) }
        }.get()
        #expect(response.request == request)
        #expect(response.urlResponse.statusCode == 200)
        #expect(response.data == Data(#"{"name": "Ada"}"#.utf8))
    }

    @Test func modelsAreHandedOver() async throws {
        let user = try await withCheckedContinuation { continuation in
            request.send(client: client(transport)) { (result: Result<User, RequestError>) in
                continuation.resume(returning: result)
            }
        }.get()
        #expect(user == User(name: "Ada"))
        let response = try await withCheckedContinuation { continuation in
            request.send(client: client(transport)) { (result: Result<Request.ResponseModel<User>, RequestError>) in
                continuation.resume(returning: result)
            }
        }.get()
        #expect(response.responseModel == user)
        #expect(response.urlResponse.statusCode == 200)
    }

    @Test func theDecoderGivenReadsTheModel() async throws {
        let client = client(ScriptedTransport(.json(#"{"user": {"name": "Ada"}}"#)))
        let decoder = JSONKeyPathDecoder("user")
        let user = try await withCheckedContinuation { continuation in
            request.send(decoder: decoder, client: client) { (result: Result<User, RequestError>) in
                continuation.resume(returning: result)
            }
        }.get()
        #expect(user == User(name: "Ada"))
        let response = try await withCheckedContinuation { continuation in
            request.send(decoder: decoder, client: client) {
                (result: Result<Request.ResponseModel<User>, RequestError>) in
                continuation.resume(returning: result)
            }
        }.get()
        #expect(response.responseModel == user)
    }

    @Test func failuresAreHandedOver() async {
        let client = client(ScriptedTransport(.failure(.timedOut)))
        let result = await withCheckedContinuation { continuation in
            request.send(client: client) { (result: Result<User, RequestError>) in
                continuation.resume(returning: result)
            }
        }
        #expect(result == .failure(.urlError(request: request, error: URLError(.timedOut))))
    }

    /// What typed throws make of a `CancellationError`.
    @Test func aCancellationIsOneByWhateverName() async {
        let client = client(ScriptedTransport(.failure(.cancelled)))
        let result = await withCheckedContinuation { continuation in
            request.send(client: client) { (result: Result<User, RequestError>) in
                continuation.resume(returning: result)
            }
        }
        #expect(result == .failure(.urlError(request: request, error: URLError(.cancelled))))
        await #expect(throws: CancellationError.self) { try await request.send(client: client) }
    }

    @Test func nothingIsSentUntilItIsResumed() async {
        let task = AsyncStream<Void>.makeStream()
        let call = request.send(client: client(transport), autoResumeTask: false) { _ in task.continuation.finish() }
        for _ in 0..<100 { await Task.yield() }
        #expect(call.state == .suspended)
        #expect(transport.requests.isEmpty)
        call.resume()
        call.resume()
        for await _ in task.stream {}
        await eventually { call.state == .completed }
        call.cancel()
        call.resume()
        #expect(call.state == .completed)
        #expect(transport.requests.count == 1)
    }

    @Test(arguments: [true, false])
    func aCancelledTaskSaysSoOnce(_ resumes: Bool) async {
        let arrived = AsyncStream<Void>.makeStream()
        let waiting = ScriptedTransport { _ in
            arrived.continuation.yield()
            try await untilCancelled()
        }
        let results = AsyncStream<Result<Request.Response, RequestError>>.makeStream()
        let task = request.send(client: client(waiting), autoResumeTask: resumes) { results.continuation.yield($0) }
        if resumes { for await _ in arrived.stream { break } }
        task.cancel()
        task.cancel()
        await eventually { task.state == .completed }
        task.cancel()
        for _ in 0..<100 { await Task.yield() }
        results.continuation.finish()
        var errors: [RequestError?] = []
        for await result in results.stream {
            if case .failure(let error) = result { errors.append(error) } else { errors.append(nil) }
        }
        #expect(errors == [.urlError(request: request, error: URLError(.cancelled))])
        #expect(waiting.requests.count == (resumes ? 1 : 0))
    }

    @Test(arguments: [true, false])
    func aTaskThatItsHandlerHoldsIsReleasedAtTheEnd(_ resumes: Bool) async {
        final class Owner: Sendable {
            let task = Mutex<RequestTask?>(nil)
        }
        weak var released: Owner?
        do {
            let owner = Owner()
            released = owner
            let task = request.send(client: client(transport), autoResumeTask: resumes) { _ in
                withExtendedLifetime(owner) {}
            }
            owner.task.withLock { $0 = task }
            if !resumes { task.cancel() }
            await eventually { task.state == .completed }
        }
        await eventually { released == nil }
    }

    @Test func theScopesClientIsTaken() async throws {
        let result = await Request.withClient(client(transport)) {
            await withCheckedContinuation { continuation in
                request.send { (result: Result<User, RequestError>) in continuation.resume(returning: result) }
            }
        }
        #expect(try result.get() == User(name: "Ada"))
    }
}
