// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataAuthentication
import StrataCore
import StrataMiddleware
import StrataTesting
import Synchronization

/// Does what a ``Plan`` says.
package struct Runner {
    let plan: Plan
    let output: any Output
    let terminal: Terminal
    /// Replaces the transport of the plan, in tests.
    private let transport: (any NetworkTransport)?
    /// Every exchange of the call, as it was sent and answered.
    let exchanges = Exchanges()

    package init(
        _ plan: Plan, output: any Output, terminal: Terminal, transport: (any NetworkTransport)? = nil
    ) {
        self.plan = plan
        self.output = output
        self.terminal = terminal
        self.transport = transport
    }

    /// Returns how it went; what went wrong has been written to standard error.
    package func run() async -> Outcome {
        do {
            switch plan.task {
            case .printCurl: try output.write(try plan.curlCommand() + "\n")
            case .printSwift: try output.write(try SwiftCode(plan).text)
            case .send, .talk, .download: return try await call()
            }
            return .success
        } catch {
            report(error)
            return Outcome(error)
        }
    }

    private func call() async throws -> Outcome {
        let request = try plan.call.transportRequest()
        let recorder = try plan.recording.map { try CassetteRecorder(URL(filePath: $0)) }
        let jar = try plan.session.map { try CookieJar(file: try Session.file($0), keepsSessionCookies: true) }
        let transport = try transport ?? plan.makeTransport()
        let client = makeClient(transport, recorder: recorder, jar: jar)
        var status: Outcome
        do {
            switch plan.task {
            case .download(let path, let continues):
                status = try await download(with: client, to: path, continues: continues)
            case .talk: status = try await talk(with: client)
            default: status = try await send(request, with: client)
            }
        } catch {
            try? showExchanges(withLastResponse: false)
            report(error)
            if let error = error as? NetworkClientError { explain(error.exchange) }
            status = Outcome(error)
        }
        await transport.shutdown()
        do {
            try recorder?.finish()
            try jar?.flush()
        } catch {
            report(error)
            if status == .success { status = .fileFailed }
        }
        return status
    }

    private func makeClient(
        _ transport: any NetworkTransport, recorder: CassetteRecorder?, jar: CookieJar?
    ) -> NetworkClient {
        var middleware: [any NetworkMiddleware] = []
        if plan.call.attempts > 1 { middleware.append(RetryMiddleware(maxAttempts: plan.call.attempts)) }
        let origins = plan.call.origin.map { OriginPolicy.origins($0) } ?? .baseURL
        switch plan.call.credentials {
        case .none: break
        case .bearer(let token): middleware.append(BearerAuthMiddleware(token: token, origins: origins))
        case .basic(let user, let password):
            middleware.append(
                BasicAuthMiddleware(
                    username: user, password: password ?? Terminal.password(for: user) ?? "", origins: origins))
        case .digest(let user, let password):
            middleware.append(
                DigestAuthMiddleware(
                    username: user, password: password ?? Terminal.password(for: user) ?? "", origins: origins))
        }
        if let jar { middleware.append(CookieMiddleware(jar)) }
        middleware.append(
            InterceptorMiddleware { [exchanges] request, next in
                exchanges.begin(request)
                let response = try await next(request)
                exchanges.end(response.head)
                return response
            })
        if let recorder { middleware.append(RecordingMiddleware(recorder)) }
        var configuration = NetworkConfiguration(
            baseURL: nil, transport: transport, middleware: middleware, defaultEncoder: JSONEncoder(),
            defaultDecoder: JSONDecoder(), options: plan.call.options)
        if plan.call.names("user-agent") { configuration.userAgent = nil }
        return NetworkClient(configuration: configuration)
    }

    private func send(_ request: TransportRequest, with client: NetworkClient) async throws -> Outcome {
        let started = ContinuousClock.now
        let response = try await client.execute(request)
        try showExchanges(withLastResponse: true)
        let code = response.head.status.code
        if !terminal.isOutput, !plan.parts.contains(.responseHead), code >= 300 {
            output.note("strata: the server answered \(Self.statusText(response.head))\n")
        }
        var failure: (any Error)?
        do {
            if plan.parts.contains(.responseBody) {
                try await BodyPrinter(plan: plan, output: output, terminal: terminal).show(response)
            } else {
                await response.body.discard()
            }
        } catch { failure = error }
        if plan.parts.contains(.metadata) {
            try output.write("Elapsed time: \(started.duration(to: .now))\n")
        }
        if let failure {
            report(failure)
            explain(response.exchange)
            return Outcome(failure)
        }
        explain(response.exchange)
        return plan.checksStatus ? Outcome(status: code) : .success
    }

    func explain(_ record: ExchangeRecord?) {
        guard plan.explains, let record else { return }
        output.note(
            Waterfall(
                record, palette: Palette(isOn: plan.isColored && terminal.isError), width: terminal.width
            ).text)
    }

    func report(_ error: any Error) {
        switch error {
        case is OutputClosed: break
        case is CancellationError: output.note("strata: interrupted\n")
        default: output.note("strata: \(TerminalText.safe("\(error)"))\n")
        }
    }

    static func statusText(_ head: HTTPResponse) -> String {
        TerminalText.safe("\(head.status.code) \(head.status.reasonPhrase)").trimmingCharacters(in: .whitespaces)
    }

    /// What has gone over the wire, in the parts that are asked for; the body of the last response comes later.
    func showExchanges(withLastResponse: Bool) throws {
        let all = exchanges.all
        let writer = HeadWriter(plan: plan)
        for (index, exchange) in all.enumerated() where plan.showsAll || index == all.count - 1 {
            var text = writer.request(exchange.request)
            if let response = exchange.response, withLastResponse || index < all.count - 1 {
                text += writer.response(response)
            }
            try output.write(text)
        }
    }
}
