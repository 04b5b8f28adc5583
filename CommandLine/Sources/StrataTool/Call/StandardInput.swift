// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Standard input, as the body of a request.
enum StandardInput {
    /// Its bytes in pieces, each read when it is asked for.
    static func pieces() -> AsyncThrowingStream<Data, any Error> {
        AsyncThrowingStream(unfolding: {
            try await waiting {
                let piece = try FileHandle.standardInput.read(upToCount: 64 * 1024)
                return piece?.isEmpty == false ? piece : nil
            }
        })
    }

    /// Its lines, without their ends.
    static func lines() -> AsyncThrowingStream<String, any Error> {
        AsyncThrowingStream(unfolding: { try await waiting { readLine() } })
    }

    /// Reads on a thread that may block: those of tasks are as few as the machine has cores.
    private static func waiting<Value: Sendable>(_ read: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global().async { continuation.resume(with: Result { try read() }) }
        }
    }
}
