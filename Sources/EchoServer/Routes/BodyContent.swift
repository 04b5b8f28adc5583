// SPDX-License-Identifier: Apache-2.0

/// A request body as httpbin takes it apart: a form, or data that may be JSON.
struct BodyContent: Sendable {
    private(set) var data = ""
    private(set) var json: JSONValue = .null
    private(set) var form = FieldList()
    private(set) var files: [String: JSONValue] = [:]

    init(_ bytes: [UInt8], type: String?) {
        let media = type.map { MediaType($0) }
        switch media?.essence {
        case "application/x-www-form-urlencoded", "application/x-url-encoded":
            form = FieldList(urlEncoded: String(decoding: bytes, as: UTF8.self))
        case "multipart/form-data":
            for part in MultipartForm.parts(of: bytes, boundary: media?.parameters["boundary"] ?? "") {
                add(part)
            }
        default:
            data = HTTPBinRecord.safeText(bytes)
            if JSONSyntax.isValid(bytes) { json = .verbatim(data) }
        }
    }

    /// Of several files with one name httpbin shows the first.
    private mutating func add(_ part: MultipartForm.Part) {
        if part.isFile {
            if files[part.name] == nil {
                let type = part.contentType ?? "application/octet-stream"
                files[part.name] = .string(HTTPBinRecord.safeText(part.body, type: type))
            }
        } else {
            form.append(part.name, String(decoding: part.body, as: UTF8.self))
        }
    }
}
