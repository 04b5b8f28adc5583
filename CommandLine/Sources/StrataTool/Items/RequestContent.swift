// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataCore
import StrataEncoding

/// What the items of a command line add up to.
package struct RequestContent {
    /// How `=` and `:=` are sent.
    package enum Format: Hashable {
        case json
        /// `application/x-www-form-urlencoded`, or a multipart body when there are files.
        case form
        case multipart
    }

    package var query: [URLQueryItem] = []
    package var fields: [CallField] = []
    package var body = CallBody.none

    /// - Parameter read: returns what a file has; a test gives its own.
    /// - Throws: ``UsageError``, and what `read` throws.
    package init(
        _ items: [RequestItem], as format: Format, reading read: (String) throws -> Data = Self.contents(of:)
    ) throws {
        var data: [(key: String, isRaw: Bool, value: String)] = []
        var files: [(name: String, path: String)] = []
        for item in items {
            func value() throws -> String {
                guard item.isFromFile else { return item.value }
                guard let text = String(data: try read(item.value), encoding: .utf8) else {
                    throw UsageError("the file for `\(item.name)` is no text")
                }
                // A file ends with a newline, which no field may have.
                return item.kind == .field ? text.trimmingCharacters(in: .whitespacesAndNewlines) : text
            }
            switch item.kind {
            case .field:
                let value = try value()
                fields.append(CallField(item.name, value.isEmpty ? nil : value))
            case .emptyField: fields.append(CallField(item.name, ""))
            case .query: query.append(URLQueryItem(name: item.name, value: try value()))
            case .text: data.append((item.name, false, try value()))
            case .json:
                let text = try value()
                do { _ = try JSONValue(parsing: text) } catch {
                    throw UsageError("the value of `\(item.name)` is no JSON")
                }
                data.append((item.name, true, text))
            case .file: files.append((item.name, item.value))
            }
        }
        body = try Self.body(data, files, as: format)
    }

    package static func contents(of path: String) throws -> Data {
        do { return try Data(contentsOf: URL(filePath: path)) } catch {
            throw UsageError("cannot read \(path)")
        }
    }

    private static func body(
        _ data: [(key: String, isRaw: Bool, value: String)], _ files: [(name: String, path: String)], as format: Format
    ) throws -> CallBody {
        if files.contains(where: { $0.name.isEmpty }) {
            guard data.isEmpty, files.count == 1 else {
                throw UsageError("a file that is the whole body stands alone: name it, as in `name@path`")
            }
            return files[0].path == "-" ? .standardInput : .file(path: files[0].path)
        }
        switch format {
        case .json:
            guard files.isEmpty else {
                throw UsageError("a file needs --form or --multipart, or stands alone: `@path`")
            }
            guard !data.isEmpty else { return .none }
            var root = JSONNode.hole
            for (key, isRaw, value) in data {
                let key = try NestedKey(key)
                try root.set(isRaw ? .raw(value) : .text(value), at: key.steps[...], of: key)
            }
            return .json(root.json)
        case .form where files.isEmpty:
            return data.isEmpty ? .none : .form(data.map { URLFormItem(name: $0.key, value: $0.value) })
        case .form, .multipart:
            guard !data.isEmpty || !files.isEmpty else { return .none }
            return .multipart(
                data.map { FormPart(name: $0.key, content: .text($0.value)) }
                    + files.map { name, place in
                        // `name@path;type=image/png`
                        let parts = place.components(separatedBy: ";type=")
                        return FormPart(
                            name: name, content: .file(parts[0]), filename: nil,
                            contentType: parts.count > 1 ? parts[1] : nil)
                    })
        }
    }
}
