// SPDX-License-Identifier: Apache-2.0

import Logging
import Synchronization

/// Remembers what is logged.
final class LogRecorder: Sendable {
    private let recorded = Mutex<[String]>([])

    var messages: [String] { recorded.withLock { $0 } }

    var logger: Logger { Logger(label: "test") { _ in Handler(recorder: self) } }

    private struct Handler: LogHandler {
        let recorder: LogRecorder
        var logLevel = Logger.Level.trace
        var metadata: Logger.Metadata = [:]

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) { recorder.recorded.withLock { $0.append("\(event.message)") } }
    }
}
