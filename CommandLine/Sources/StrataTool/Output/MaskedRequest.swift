// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataCore
import StrataEncoding

/// A request as it may be shown: without secrets, unless somebody has asked for them.
///
/// What is a secret is Strata's decision: it is read from the command line of curl that a request writes of itself.
package struct MaskedRequest {
    package let url: String
    package let fields: [(name: String, value: String)]
    /// `nil` when there is none, or none that can be shown.
    package let body: Data?

    package init(_ request: TransportRequest, showsSecrets: Bool) {
        let body = request.body.isEmpty ? nil : request.body.data
        if showsSecrets {
            self.init(
                url: request.url, fields: request.head.headerFields.map { ($0.name.rawName, $0.value) }, body: body)
            return
        }
        let words = (try? ShellWords.split(request.shellCommand)) ?? []
        var url = ""
        var fields: [(name: String, value: String)] = []
        var shown: Data?
        for (index, word) in words.enumerated().dropFirst() {
            switch words[index - 1] {
            case "--header":
                if let colon = word.firstIndex(of: ":") {
                    fields.append((String(word[..<colon]), String(word[colon...].dropFirst(2))))
                } else {
                    fields.append((String(word.dropLast()), ""))
                }
            case "--data-raw": shown = Data(word.utf8)
            default: if word.contains("://"), url.isEmpty { url = word }
            }
        }
        // The command has fields for curl's sake alone.
        let own = Set(request.head.headerFields.map(\.name.canonicalName))
        self.init(url: url, fields: fields.filter { own.contains($0.name.lowercased()) }, body: shown)
    }

    /// Whether a value is a secret where it stands in a form under this name.
    package static func hides(_ value: String, inFormAs name: String) -> Bool {
        let request = try? TransportRequest(
            method: .post, url: "http://localhost", headerFields: [.contentType: "application/x-www-form-urlencoded"],
            body: .data(FormEncoder().encode([URLFormItem(name: name, value: value)])))
        return request.map { $0.curlCommand() != $0.curlCommand(maskingSecrets: false) } ?? true
    }

    private init(url: String, fields: [(name: String, value: String)], body: Data?) {
        self.url = url
        self.fields = fields
        self.body = body
    }
}

extension TransportRequest {
    /// What a request writes of itself when its body is in memory: the command alone, without what is piped into it.
    fileprivate var shellCommand: String {
        let command = curlCommand()
        guard let start = command.range(of: "| curl ") else { return command }
        return command.hasPrefix("curl ") ? command : String(command[start.lowerBound...].dropFirst(2))
    }
}
