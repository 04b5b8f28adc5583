// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes
public import StrataCore

#if canImport(FoundationNetworking)
package import Foundation
public import FoundationNetworking
#else
public import Foundation
#endif

extension HTTPResponse {
    /// The same head for Foundation. Repeated fields are joined by commas.
    ///
    /// - Parameter httpVersion: as in ``TransportMetrics/httpVersion``; HTTP/1.1 where it is not known.
    /// - Returns: `nil` when Foundation makes no response of it.
    package func urlResponse(for url: URL, httpVersion: String?) -> HTTPURLResponse? {
        // Joined by name, ignoring case. The first spelling is kept.
        var fields = Dictionary(grouping: headerFields, by: \.name).mapValues { repeats in
            (repeats[0].name.rawName, repeats.map(\.value).joined(separator: ", "))
        }
        // On Linux, Foundation parses these fields in quadratic time.
        for name in [HTTPField.Name.contentType, .contentDisposition] {
            if let field = fields[name], field.1.utf8.count > 8192 { fields[name] = nil }
        }
        return HTTPURLResponse(
            url: url, statusCode: status.code, httpVersion: httpVersion ?? "HTTP/1.1",
            headerFields: Dictionary(uniqueKeysWithValues: fields.values))
    }
}

extension NetworkResponse {
    /// The response as Foundation has it: an `HTTPURLResponse`, with the URL that answered after redirects.
    public var urlResponse: URLResponse {
        let url = url.flatMap { URL(string: $0) } ?? URL(filePath: "/")
        return response.urlResponse(for: url, httpVersion: exchange.attempts.last?.metrics?.httpVersion)
            ?? URLResponse(url: url, mimeType: nil, expectedContentLength: -1, textEncodingName: nil)
    }
}
