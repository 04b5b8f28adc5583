// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes

extension HTTPRequest {
    /// The absolute URL, query included: not for logs.
    package var absoluteURL: String { "\(scheme ?? "")://\(authority ?? "")\(path ?? "/")" }

    /// The absolute URL without its query, for logs and records.
    package var urlWithoutQuery: String {
        "\(scheme ?? "")://\(authority ?? "")\((path ?? "/").prefix { $0 != "?" })"
    }
}
