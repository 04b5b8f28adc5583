// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
public import StrataCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension TransportRequest {
    /// The request as a command for a POSIX shell, with its secrets redacted.
    ///
    /// A body that is not text in memory is named, not shown: put it into the file that the command reads.
    public func curlCommand(redaction: Redaction = .standard) -> String {
        var words = ["curl"]
        if head.method == .head {
            words.append("--head")
        } else if head.method != (body.isEmpty ? .get : .post) {
            words += ["-X", Self.quoted(head.method.rawValue)]
        }
        words.append(Self.quoted(redaction.url(url, options: options)))
        for field in head.headerFields {
            let value = redaction.value(of: field, options: options)
            // An empty value is written with a semicolon; with a colon curl would leave the field out.
            words += ["-H", Self.quoted(value.isEmpty ? "\(field.name);" : "\(field.name): \(value)")]
        }
        if !body.isEmpty {
            if head.headerFields[.contentType] == nil { words += ["-H", "'Content-Type:'"] }
            if let data = body.data, String(validating: data, as: UTF8.self) != nil {
                let text = redaction.body(data, contentType: head.headerFields[.contentType])
                words += ["--data-raw", Self.quoted(text)]
            } else {
                words += ["--data-binary", "@body"]
            }
        }
        return words.joined(separator: " ")
    }

    /// In single quotes, within which a shell changes nothing; left out around what needs none.
    private static func quoted(_ text: String) -> String {
        let plain = text.utf8.allSatisfy { byte in
            (0x30...0x39).contains(byte) || (0x41...0x5a).contains(byte & 0xdf) || "-_./:@%+,".utf8.contains(byte)
        }
        return plain && !text.isEmpty ? text : "'\(text.replacing("'", with: #"'\''"#))'"
    }
}
