// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

/// Where the tool writes: standard output for what the server has said, standard error for what is said about it.
package protocol Output: Sendable {
    func write(_ data: Data) throws
    func note(_ text: String)
}

extension Output {
    package func write(_ text: String) throws { try write(Data(text.utf8)) }
}

/// Nobody reads standard output any more.
package struct OutputClosed: Error {}

/// The process's own.
package struct StandardOutput: Output {
    package init() {
        // A closed pipe is an error of the write that finds it, and no end of the process.
        signal(SIGPIPE, SIG_IGN)
    }

    package func write(_ data: Data) throws { try Self.write(data, to: STDOUT_FILENO) }

    package func note(_ text: String) { try? Self.write(Data(text.utf8), to: STDERR_FILENO) }

    private static func write(_ data: Data, to descriptor: Int32) throws {
        try data.withUnsafeBytes { (bytes: UnsafeRawBufferPointer) in
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = rest.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
                if count >= 0 {
                    rest = rest.dropFirst(count)
                } else if errno == EAGAIN {
                    var waiting = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                    _ = poll(&waiting, 1, -1)
                } else if errno != EINTR {
                    throw OutputClosed()
                }
            }
        }
    }
}

/// What has been written, for tests.
package final class CollectedOutput: Output {
    private let state = Mutex((output: Data(), notes: ""))

    package init() {}

    package func write(_ data: Data) { state.withLock { $0.output += data } }
    package func note(_ text: String) { state.withLock { $0.notes += text } }

    package var text: String { state.withLock { String(decoding: $0.output, as: UTF8.self) } }
    package var notes: String { state.withLock(\.notes) }
}
