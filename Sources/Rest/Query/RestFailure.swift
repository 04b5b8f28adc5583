// SPDX-License-Identifier: Apache-2.0

import StrataCore

/// How a request failed, and what the client threw when that is why.
struct RestFailure: Error {
    let error: RestQueryError
    let underlying: NetworkClientError?

    init(_ error: any Error) {
        if let failure = error as? RestFailure {
            self = failure
        } else {
            self.error = RestQueryError(error)
            underlying = error as? NetworkClientError
        }
    }
}
