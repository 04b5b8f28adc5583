// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import StrataCore
import StrataTool

@main
struct StrataCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "strata",
        abstract: "Sends an HTTP request and prints the response.",
        usage: "strata [<options>] [METHOD] URL [ITEM ...]",
        discussion: """
            Without METHOD it is GET, or POST with data. In URL, `:8080/path` is on this machine and `host/path` is http. Items:

              Name:value     header field; `Name:` leaves one out, `Name;` is empty
              name==value    query
              name=value     data, text: a member of a JSON object, or of a form
              name:=json     data, any JSON: `age:=36`, `tags:='["a"]'`
              name@path      file of a form; `@path` alone is the body, `@-` standard input
              :@ ==@ =@ :=@  the value is in a file

            Nested: `user[name]=Ada tags[]=a tags[]=b`. A backslash takes the meaning of a separator away: `a\\:b=c`.

            It exits with 0, or 2: out of time, 3 4 5: status (--check-status), 6: too many redirects, 7: no connection, 8: TLS, \
            9: broken response, 10: file, 64: usage, 1: anything else.
            """,
        version: StrataVersion.current)

    @Argument(help: ArgumentHelp("[METHOD] URL [ITEM ...]", valueName: "words"))
    var words: [String] = []

    @OptionGroup(title: "Request") var content: ContentOptions
    @OptionGroup(title: "Output") var shown: OutputOptions
    @OptionGroup(title: "Files and curl") var files: FileOptions
    @OptionGroup(title: "Connection") var connection: ConnectionOptions

    /// - Throws: ``UsageError``
    func plan(for terminal: Terminal, environment: [String: String]) throws -> Plan {
        var plan = Plan()
        if let command = files.fromCurl {
            guard words.isEmpty else { throw UsageError("--from-curl stands without a URL of its own") }
            try takeCurl(command, into: &plan)
        } else {
            try takeWords(into: &plan)
        }
        plan.call.takeUserInformation()
        try takeConnection(into: &plan)
        try takeOutput(into: &plan, terminal: terminal, environment: environment)
        return plan
    }

    func run() async throws {
        let terminal = Terminal.current
        let output = StandardOutput()
        let plan: Plan
        do { plan = try self.plan(for: terminal, environment: ProcessInfo.processInfo.environment) } catch {
            output.note("strata: \(error)\nSee strata --help.\n")
            throw ExitCode(Outcome(error).rawValue)
        }
        let call = Task { await Runner(plan, output: output, terminal: terminal).run() }
        // So that a download keeps what has come, and a recording is whole.
        signal(SIGINT, SIG_IGN)
        let interrupt = DispatchSource.makeSignalSource(signal: SIGINT, queue: .global())
        interrupt.setEventHandler {
            call.cancel()
            signal(SIGINT, SIG_DFL)
        }
        interrupt.resume()
        let status = await call.value
        if status != .success { throw ExitCode(status.rawValue) }
    }

    // MARK: - The request

    private func takeWords(into plan: inout Plan) throws {
        var words = words[...]
        guard let first = words.first else { throw UsageError("no URL is given") }
        if words.count > 1, TargetURL.isMethod(first) {
            plan.call.method = first
            words.removeFirst()
        }
        plan.call.url = try TargetURL.expand(words.removeFirst(), scheme: content.defaultScheme)
        // `ws` and `wss` are where a WebSocket begins: a request by `http` or `https`.
        for (scheme, own) in [("ws://", "http://"), ("wss://", "https://")] where plan.call.url.hasPrefix(scheme) {
            plan.call.url = own + plan.call.url.dropFirst(scheme.count)
            plan.task = .talk
        }
        let items = try words.enumerated().map { try RequestItem($0.element, place: $0.offset + 1) }
        let data = try RequestContent(items, as: content.multipart ? .multipart : content.form ? .form : .json)
        plan.call.query = data.query
        plan.call.fields = data.fields
        plan.call.body = data.body
        if let raw = content.raw {
            guard data.body == .none else { throw UsageError("--raw stands without data items") }
            plan.call.body = .data(
                Data(raw.utf8), contentType: content.form ? "application/x-www-form-urlencoded" : "application/json")
        }
    }

    private func takeCurl(_ text: String, into plan: inout Plan) throws {
        let command = try CurlCommand(text)
        plan.call = command.call
        plan.checksStatus = command.checksStatus
        if let output = command.output {
            plan.task = .download(to: output.isEmpty ? nil : output, continues: command.continuesOutput)
        }
        if command.showsHead { plan.parts = [.responseHead, .responseBody] }
        if command.call.method == "HEAD" { plan.parts.insert(.responseHead) }
        if command.isVerbose {
            plan.parts = [.requestHead, .responseHead, .responseBody]
            plan.showsAll = true
        }
    }

    private func takeConnection(into plan: inout Plan) throws {
        if let auth = content.auth {
            let (user, password) = CallCredentials.pair(auth)
            plan.call.credentials =
                content.authType == .digest
                ? .digest(user: user, password: password) : .basic(user: user, password: password)
        }
        if let token = content.bearer { plan.call.credentials = .bearer(token) }
        plan.session = content.session
        if connection.follow { plan.call.followsRedirects = true }
        // A download is of the file, wherever it is.
        if files.download { plan.call.followsRedirects = true }
        guard (0...1000).contains(connection.maxRedirects), (0...1000).contains(connection.retry) else {
            throw UsageError("--max-redirects and --retry are up to 1000")
        }
        if files.fromCurl == nil {
            plan.call.maximumRedirects = connection.maxRedirects
            plan.call.attempts = connection.retry + 1
            plan.call.timeouts.connect = try Self.seconds(connection.connectTimeout, "--connect-timeout")
            plan.call.timeouts.idle =
                connection.idleTimeout == 0 ? nil : try Self.seconds(connection.idleTimeout, "--idle-timeout")
        }
        if let timeout = connection.timeout { plan.call.timeouts.deadline = try Self.seconds(timeout, "--timeout") }
        switch connection.verify {
        case "yes": break
        case "no": plan.call.connection.verifies = false
        default: plan.call.connection.authorities = connection.verify
        }
        if let cert = connection.cert { plan.call.connection.certificate = cert }
        if let key = connection.certKey { plan.call.connection.certificateKey = key }
        if let proxy = connection.proxy { plan.call.connection.proxy = proxy }
        if let path = connection.unixSocket { plan.call.connection.unixSocket = path }
        switch connection.http {
        case .automatic: break
        case .http1: plan.call.httpVersion = .http1
        case .http2PriorKnowledge: plan.call.httpVersion = .http2PriorKnowledge
        case .http3: plan.call.httpVersion = .http3
        }
        if content.ws { plan.task = .talk }
        plan.transport = connection.transport ?? (plan.task == .talk ? .native : .curl)
    }

    private static func seconds(_ value: Double, _ name: String) throws -> Duration {
        guard value > 0, value <= 1e9 else { throw UsageError("\(name) is a number of seconds above 0") }
        return .seconds(value)
    }

    // MARK: - What becomes of it

    private func takeOutput(into plan: inout Plan, terminal: Terminal, environment: [String: String]) throws {
        plan.recording = files.har
        plan.replayed = files.replay
        if files.fromCurl == nil, terminal.isOutput { plan.parts = [.responseHead, .responseBody] }
        if let print = shown.print {
            plan.parts = try Plan.parts(print)
        } else if shown.verbose {
            plan.parts = [.requestHead, .requestBody, .responseHead, .responseBody]
        } else if shown.headers {
            plan.parts = [.responseHead]
        } else if shown.body {
            plan.parts = [.responseBody]
        }
        plan.showsAll = plan.showsAll || shown.all || shown.verbose
        let pretty = shown.pretty ?? (terminal.isOutput ? .all : .none)
        plan.isIndented = pretty == .all || pretty == .format
        let refusesColor =
            shown.pretty == nil
            && (environment["NO_COLOR"].map { !$0.isEmpty } ?? false || environment["TERM"] == "dumb")
        plan.isColored = (pretty == .all || pretty == .colors) && !refusesColor
        plan.streams = shown.stream
        plan.explains = shown.explain
        plan.showsSecrets = shown.showSecrets
        plan.checksStatus = plan.checksStatus || shown.checkStatus
        if files.download || files.output != nil || files.continues {
            guard files.output != nil || !files.continues else { throw UsageError("--continue goes with --output") }
            guard plan.task != .talk else { throw UsageError("messages of a WebSocket are no file") }
            plan.task = .download(to: files.output, continues: files.continues)
        }
        if plan.task == .talk, plan.call.body != .none { throw UsageError("a WebSocket begins without data") }
        if files.curl { plan.task = .printCurl }
        if files.swift { plan.task = .printSwift }
    }
}
