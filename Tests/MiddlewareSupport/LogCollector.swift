// SPDX-License-Identifier: Apache-2.0

package import Logging
import Synchronization
import TestSupport
import Testing

/// Keeps what is logged, and hands it to the search for secrets.
package final class LogCollector: Sendable {
    package struct Line: Sendable {
        package let level: Logger.Level
        package let message: String
        package let metadata: Logger.Metadata
    }

    private let collected = Mutex<[Line]>([])

    package init() {}

    package var lines: [Line] { collected.withLock { $0 } }
    package var messages: [String] { lines.map(\.message) }

    package func logger(_ level: Logger.Level = .trace) -> Logger {
        var logger = Logger(label: "test") { _ in Handler(collector: self) }
        logger.logLevel = level
        return logger
    }

    fileprivate func add(_ line: Line) {
        Leaks.check("\(line.message) \(line.metadata)", "a log line")
        collected.withLock { $0.append(line) }
    }

    private struct Handler: LogHandler {
        let collector: LogCollector
        var logLevel = Logger.Level.trace
        var metadata: Logger.Metadata = [:]

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            collector.add(
                Line(
                    level: event.level, message: "\(event.message)",
                    metadata: metadata.merging(event.metadata ?? [:]) { $1 }))
        }
    }
}
