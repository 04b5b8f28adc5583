// SPDX-License-Identifier: Apache-2.0

/// An error about a body whose description quotes no value of it, so that the description of a ``NetworkClientError`` that
/// it caused may have it.
package protocol ValueFreeError: Error, CustomStringConvertible {}
