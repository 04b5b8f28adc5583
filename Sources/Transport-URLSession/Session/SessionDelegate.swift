// SPDX-License-Identifier: Apache-2.0

import StrataCore
import Synchronization

#if canImport(FoundationNetworking)
import Foundation
import FoundationNetworking
#else
import Foundation
#endif

/// Hands the session's callbacks to the exchanges that they belong to.
final class SessionDelegate: NSObject, URLSessionDataDelegate, Sendable {
    private struct Entry {
        let exchange: URLExchange
        let socket: SessionSocket?
        let done: @Sendable () -> Void
    }

    private let entries = Mutex<[Int: Entry]>([:])
    /// Answers for TLS, where the session was made by the user.
    private let trust: SessionTrust?
    private let invalidationHandlers = Mutex<[@Sendable () -> Void]>([])

    init(trust: SessionTrust?) {
        self.trust = trust
    }

    func register(
        _ exchange: URLExchange, _ socket: SessionSocket?, task: URLSessionTask, done: @escaping @Sendable () -> Void
    ) {
        let identifier = task.taskIdentifier
        entries.withLock { $0[identifier] = Entry(exchange: exchange, socket: socket, done: done) }
    }

    func onInvalidation(_ handler: @escaping @Sendable () -> Void) {
        invalidationHandlers.withLock { $0.append(handler) }
    }

    private func exchange(of task: URLSessionTask) -> URLExchange? {
        let identifier = task.taskIdentifier
        return entries.withLock { $0[identifier]?.exchange }
    }

    func socket(of task: URLSessionTask) -> SessionSocket? {
        let identifier = task.taskIdentifier
        return entries.withLock { $0[identifier]?.socket }
    }

    // MARK: The response

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        defer { completionHandler(.allow) }
        guard let exchange = exchange(of: dataTask), let response = response as? HTTPURLResponse else { return }
        // Interim responses (RFC 9110 §15.2) are shown on Linux like the final one.
        if (100..<200).contains(response.statusCode), response.statusCode != 101 { return exchange.noteActivity() }
        if response.statusCode == 101 {
            return exchange.fail(
                NetworkClientError(.protocolViolation, "the server switches to a protocol that nobody asked for"))
        }
        exchange.receiveHead(ResponseTranslation.head(of: response))
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        exchange(of: dataTask)?.receive(data)
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        let identifier = task.taskIdentifier
        guard let entry = entries.withLock({ $0.removeValue(forKey: identifier) }) else { return }
        let response = task.response as? HTTPURLResponse
        if let socket = entry.socket {
            socket.finish(response, error)
        } else {
            // A redirect without a usable `Location` is announced nowhere else on Linux.
            let head = response.map(ResponseTranslation.head)
            entry.exchange.finish(head: head, error: error.map(ErrorTranslation.error))
        }
        entry.done()
    }

    // MARK: What is decided elsewhere

    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        // On Linux an answer to a task that is already being cancelled kills the process.
        exchange(of: task)?.unlessCancelled { completionHandler(nil) }
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        guard let exchange = exchange(of: task) else { return completionHandler(.performDefaultHandling, nil) }
        Platform.answer(
            challenge, in: session, task: task, exchange: exchange, trust: trust, completionHandler: completionHandler)
    }

    // MARK: The request's body

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64,
        totalBytesExpectedToSend: Int64
    ) {
        exchange(of: task)?.noteActivity()
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void
    ) {
        // The connection died with a part of the body sent. What may be sent again is decided by the layers above.
        exchange(of: task)?.fail(
            NetworkClientError(.connectionLost, "the connection was lost while the request's body was sent"))
        completionHandler(nil)
    }

    func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) {
        let handlers = invalidationHandlers.withLock { handlers in
            defer { handlers = [] }
            return handlers
        }
        for handler in handlers { handler() }
    }
}
