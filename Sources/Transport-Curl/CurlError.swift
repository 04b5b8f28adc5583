// SPDX-License-Identifier: Apache-2.0

import CStrataCurl

/// libcurl's own code, the cause of a `NetworkClientError` from ``CurlTransport``.
public struct CurlError: Error, Hashable, Sendable {
    /// The number behind the `CURLE_…` constant.
    public let code: Int

    package init(code: Int) { self.code = code }

    init(_ code: CURLcode) { self.init(code: Int(code.rawValue)) }
}

extension CurlError: CustomStringConvertible {
    public var description: String {
        guard let code = UInt32(exactly: code), let text = curl_easy_strerror(CURLcode(rawValue: code)) else {
            return "curl \(code)"
        }
        return "curl \(code): \(String(cString: text))"
    }
}
