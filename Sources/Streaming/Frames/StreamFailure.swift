// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
package import StrataCore

/// The errors of this module, in the words of ``StrataCore/NetworkClientError``.
package enum StreamFailure {
    static func tooLarge(_ what: StaticString, limit: Int) -> NetworkClientError {
        NetworkClientError(.bodyTooLarge, "\(what) of the stream is larger than \(limit) bytes")
    }

    package static func missingEnd() -> NetworkClientError {
        NetworkClientError(.connectionLost, "the stream ended without the event that marks its end")
    }

    static func errorEvent() -> NetworkClientError {
        NetworkClientError(.errorEvent, "the server reported an error in the stream")
    }

    /// The lines of a text whose charset nobody here can read. The label is a token, and not longer than any real one.
    static func unknownCharset(_ label: String) -> NetworkClientError {
        let isShown = label.utf8.count <= 40 && HTTPField.Name(label) != nil
        return NetworkClientError(
            .decodingFailed, "the charset of the text is not known" + (isShown ? ": \(label)" : ""))
    }

    static func noEvents(_ connections: Int) -> NetworkClientError {
        NetworkClientError(.connectionLost, "\(connections) connections in a row ended without an event")
    }
}
