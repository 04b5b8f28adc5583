// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataCore
import StrataEncoding
import StrataTesting

/// Records exchanges until the process is killed, and says the path of each when it is written.
enum Recording {
    /// What kills the process.
    enum End {
        /// Itself, when so many exchanges have been written, with the body of another one half read.
        case count(Int)
        /// The system, within a write, when the file would have more bytes.
        case size(Int)

        init(_ text: String) {
            let parts = text.split(separator: ":")
            self = parts.count == 2 ? .size(ChildProcess.number(String(parts[1]))) : .count(ChildProcess.number(text))
        }
    }

    /// - Parameter round: the first segment of the paths.
    static func run(_ file: String, round: String, end: End) async throws {
        if case .size(let bytes) = end {
            var limit = rlimit(rlim_cur: rlim_t(bytes), rlim_max: rlim_t(bytes))
            #if canImport(Darwin)
            let resource = RLIMIT_FSIZE
            #else
            let resource = __rlimit_resource_t(UInt32(RLIMIT_FSIZE.rawValue))
            #endif
            guard setrlimit(resource, &limit) == 0 else { ChildProcess.fail("no limit") }
        }
        var options = RecordingOptions()
        // Some bodies are files of their own. Of those, the limit would meet the first.
        if case .count = end { options.largestInlineBody = 4096 }
        let recorder = try CassetteRecorder(URL(fileURLWithPath: file), options: options)
        let transport = ScriptedTransport { request in
            let body = body(for: request.head.path ?? "")
            let half = body.count / 2
            return .pieces([body.prefix(half), body.dropFirst(half)], fields: [.contentType: "text/plain"])
        }
        let client = NetworkClient(
            configuration: NetworkConfiguration(transport: transport, middleware: [RecordingMiddleware(recorder)]))

        func response(_ path: String) async throws -> TransportResponse {
            try await client.execute(TransportRequest(url: "https://api.example\(path)"))
        }
        var open = try await response("/\(round)/open").body.makeAsyncIterator()
        _ = try await open.next()
        for number in 0... {
            if case .count(number) = end { kill(getpid(), SIGKILL) }
            let path = "/\(round)/\(number)"
            guard try await response(path).body.collect() == body(for: path) else {
                ChildProcess.fail("a torn body")
            }
            guard recorder.count == number + 1 else { ChildProcess.fail("\(path) is not written") }
            ChildProcess.say(path)
        }
    }

    private static func body(for path: String) -> Data { Data(StoredBody.make(for: path).base64EncodedString().utf8) }
}
