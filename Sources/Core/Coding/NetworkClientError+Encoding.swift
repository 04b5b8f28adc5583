// SPDX-License-Identifier: Apache-2.0

extension NetworkClientError {
    /// What could not be encoded. An error of this type passes unchanged.
    package static func encodingFailed(_ what: String, cause: any Error) -> NetworkClientError {
        cause as? NetworkClientError
            ?? NetworkClientError(.encodingFailed, "the \(what) could not be encoded", cause: cause)
    }
}
