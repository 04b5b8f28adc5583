// SPDX-License-Identifier: Apache-2.0

package import StrataCore

/// Whether an error is a client error with that code.
package func isFailure(_ error: any Error, _ code: NetworkClientError.Code) -> Bool {
    (error as? NetworkClientError)?.code == code
}
