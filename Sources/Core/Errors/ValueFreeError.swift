// SPDX-License-Identifier: Apache-2.0

/// An error about a body, a part of which the description of the ``NetworkClientError`` that it caused may show.
package protocol ValueFreeError: Error {
    /// What is wrong and where: no value of the body, and of its keys only those that lead to the place.
    var outline: String { get }
}
