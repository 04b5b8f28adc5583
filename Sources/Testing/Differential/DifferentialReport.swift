// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import StrataCore

/// Puts the differences of one request into words.
struct DifferentialReport: Sendable {
    let number: Int
    let head: HTTPRequest
    let options: RequestOptions
    let deliver: @Sendable (TransportDifference) -> Void

    func add(_ aspect: TransportDifference.Aspect, _ first: String, _ second: String) {
        deliver(
            TransportDifference(
                number: number, method: head.method, path: String((head.path ?? "").prefix { $0 != "?" }),
                aspect: aspect, first: first, second: second))
    }

    /// - Parameter isExact: whether repeated fields and one field with commas count as different.
    func compare(_ first: HTTPResponse, _ second: HTTPResponse, ignoring ignored: Set<HTTPField.Name>, isExact: Bool) {
        if first.status.code != second.status.code { add(.status, "\(first.status.code)", "\(second.status.code)") }
        let names = Set((first.headerFields + second.headerFields).map(\.name)).subtracting(ignored)
        for name in names.sorted(by: { $0.canonicalName < $1.canonicalName }) {
            // Each cookie is a field for itself (RFC 9110 §5.3).
            let keepsRepeats = isExact || name == .setCookie
            let pair = [first, second].map { $0.headerFields[values: name] }
            if words(pair[0], keepsRepeats) == words(pair[1], keepsRepeats) { continue }
            let shown = pair.map { values in
                isSecret(name) && !values.isEmpty
                    ? SecretNames.mark : words(values.map { withoutSecrets($0, in: name) }, keepsRepeats)
            }
            add(.field(name), shown[0], shown[1])
        }
    }

    /// Without their values, which may be secret.
    func compare(trailers first: HTTPFields?, _ second: HTTPFields?) {
        func isSame(_ names: KeyPath<HTTPField, String>) -> Bool {
            (first ?? [:]).map { $0[keyPath: names] } == (second ?? [:]).map { $0[keyPath: names] }
        }
        if isSame(\.name.canonicalName), isSame(\.value) { return }
        let names = [first, second].map { ($0 ?? [:]).map(\.name.canonicalName).joined(separator: ", ") }
        add(.trailers, "\"\(names[0])\"", "\"\(names[1])\"")
    }

    func compare(_ first: any Error, _ second: any Error, as aspect: TransportDifference.Aspect) {
        let (one, other) = (Self.name(of: first), Self.name(of: second))
        if one != other { add(aspect, one, other) }
    }

    /// The stage at which an exchange failed, and which limit it was.
    static func name(of error: any Error) -> String {
        guard let error = error as? NetworkClientError else {
            return error is CancellationError ? "cancelled" : "\(type(of: error))"
        }
        return error.timeout.map { "\(error.code) (\($0))" } ?? error.code.description
    }

    private func words(_ values: [String], _ keepsRepeats: Bool) -> String {
        if values.isEmpty { return "absent" }
        if keepsRepeats { return values.map { "\"\($0)\"" }.joined(separator: " ") }
        return "\"\(values.joined(separator: ", "))\""
    }

    private func isSecret(_ name: HTTPField.Name) -> Bool {
        options.isSensitive(name) || SecretNames.fields.contains(name) || SecretNames.isSecret(name.canonicalName)
    }

    private static let link = HTTPField.Name.known("Link")
    /// Whose values are URLs, or have some in them.
    private static let references: Set<HTTPField.Name> = [.location, .contentLocation, link, .known("Refresh")]

    /// User information, a query or a fragment may hold a token. The last two end with the value, in a `Link` with the `<…>`
    /// (RFC 8288 §3).
    private func withoutSecrets(_ value: String, in name: HTTPField.Name) -> String {
        guard Self.references.contains(name) else { return value }
        var output: [UInt8] = []
        var isHidden = false
        /// Where the authority begins that is being read.
        var authority: Int?
        for byte in value.utf8 {
            if name == Self.link, byte == UInt8(ascii: ">") { (isHidden, authority) = (false, nil) }
            if isHidden { continue }
            output.append(byte)
            switch byte {
            case UInt8(ascii: "/"): authority = output.dropLast().last == byte ? output.count : nil
            case UInt8(ascii: "@"):
                if let authority { output.replaceSubrange(authority..<(output.count - 1), with: SecretNames.mark.utf8) }
            case UInt8(ascii: "?"), UInt8(ascii: "#"):
                authority = nil
                output += SecretNames.mark.utf8
                isHidden = true
            default: break
            }
        }
        return String(decoding: output, as: UTF8.self)
    }
}
