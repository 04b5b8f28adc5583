// SPDX-License-Identifier: Apache-2.0

import HTTPTypes

import Foundation

extension HTTPURLResponse {
    /// A response as Foundation has it: repeated fields are joined by commas, as `URLSession` does.
    convenience init?(url: URL, head: HTTPResponse, httpVersion: String?) {
        var fields: [String: String] = [:]
        for field in head.headerFields where fields[field.name.rawName] == nil {
            fields[field.name.rawName] = head.headerFields[values: field.name].joined(separator: ", ")
        }
        self.init(url: url, statusCode: head.status.code, httpVersion: httpVersion ?? "HTTP/1.1", headerFields: fields)
    }
}
