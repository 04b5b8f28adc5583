// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
public import StrataCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension TransportRequest {
    /// The request as a command for a POSIX shell, without the secrets that `redaction` finds in fields, in the query
    /// and in the body. A body that is not text is named, not shown.
    ///
    /// - `bodyLimit`: how many bytes of the body are shown.
    public func curlCommand(redaction: Redaction, bodyLimit: Int = .max) -> String {
        var request = self
        request.head = head.withoutUserInformation
        request.head.path = request.head.path.map { redaction.wholeURL($0, options: options) }
        request.head.headerFields = HTTPFields(
            head.headerFields.map { HTTPField(name: $0.name, value: redaction.value(of: $0, options: options)) })
        if let data = body.data, !body.isEmpty {
            let text = redaction.body(
                data.prefix(max(bodyLimit, 0)), contentType: head.headerFields[.contentType], options: options)
            let rest = data.count > bodyLimit ? " … and \(data.count - max(bodyLimit, 0)) bytes" : ""
            request.body = .data(Data((text + rest).utf8))
        }
        return request.curlCommand(maskingSecrets: false)
    }
}
