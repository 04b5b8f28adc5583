// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
public import StrataCore

#if canImport(FoundationNetworking)
public import Foundation
public import FoundationNetworking
#else
public import Foundation
#endif

extension HTTPResponse {
    /// The same head for Foundation. Repeated fields are joined by commas.
    ///
    /// - Returns: `nil` when Foundation makes no response of it.
    public func urlResponse(for url: URL) -> HTTPURLResponse? {
        var fields: [String: String] = [:]
        for field in headerFields {
            let name = field.name.rawName
            fields[name] = fields[name].map { "\($0), \(field.value)" } ?? field.value
        }
        return HTTPURLResponse(url: url, statusCode: status.code, httpVersion: "HTTP/1.1", headerFields: fields)
    }
}

extension NetworkResponse {
    /// The response as Foundation has it: an `HTTPURLResponse`, with the URL that answered after redirects.
    public var urlResponse: URLResponse {
        let url = url.flatMap { URL(string: $0) } ?? URL(filePath: "/")
        return response.urlResponse(for: url)
            ?? URLResponse(url: url, mimeType: nil, expectedContentLength: -1, textEncodingName: nil)
    }
}
