// SPDX-License-Identifier: Apache-2.0

package import StrataCore

/// The errors of this module, in the words of ``StrataCore/NetworkClientError``.
package enum StreamFailure {
    static func tooLarge(_ what: StaticString, limit: Int) -> NetworkClientError {
        NetworkClientError(.bodyTooLarge, "\(what) of the stream is larger than \(limit) bytes")
    }

    package static func missingEnd() -> NetworkClientError {
        NetworkClientError(.connectionLost, "the stream ended without the event that marks its end")
    }

    static func noEvents(_ connections: Int) -> NetworkClientError {
        NetworkClientError(.connectionLost, "\(connections) connections in a row ended without an event")
    }
}
