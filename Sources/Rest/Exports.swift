// SPDX-License-Identifier: Apache-2.0

// Clients, and the stores of tokens that a configuration takes.
@_exported public import StrataCore
