// SPDX-License-Identifier: Apache-2.0

import StrataURLSession

/// A transport of the test's own, shut down afterwards.
func withURLSession<Result>(_ body: (URLSessionTransport) async throws -> Result) async throws -> Result {
    try await URLSessionTransport().thenShutDown(body)
}
