// SPDX-License-Identifier: Apache-2.0

/// How often an exchange had to be begun again.
struct Repeats {
    /// How often the server has refused the request unprocessed.
    var refusals = 0
    /// How often the request was then begun again here, and not by libcurl.
    var restarts = 0
}
