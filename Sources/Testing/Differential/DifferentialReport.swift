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

    /// - Parameter isExact: whether repeats are told from values with commas.
    func compare(_ first: HTTPResponse, _ second: HTTPResponse, ignoring ignored: Set<HTTPField.Name>, isExact: Bool) {
        if first.status.code != second.status.code { add(.status, "\(first.status.code)", "\(second.status.code)") }
        let names = Set((first.headerFields + second.headerFields).map(\.name)).subtracting(ignored)
        for name in names.sorted(by: { $0.canonicalName < $1.canonicalName }) {
            // Each cookie is a field for itself (RFC 9110 §5.3).
            let keepsRepeats = isExact || name == .setCookie
            let (one, other) = (words(first, name, keepsRepeats), words(second, name, keepsRepeats))
            guard one != other else { continue }
            let isSensitive = options.isSensitive(name)
            add(.field(name), isSensitive ? masked(one) : one, isSensitive ? masked(other) : other)
        }
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

    private static let absent = "absent"

    private func words(_ head: HTTPResponse, _ name: HTTPField.Name, _ keepsRepeats: Bool) -> String {
        let values = head.headerFields[values: name]
        if values.isEmpty { return Self.absent }
        if keepsRepeats { return values.map { "\"\($0)\"" }.joined(separator: " ") }
        return "\"\(values.joined(separator: ", "))\""
    }

    private func masked(_ words: String) -> String { words == Self.absent ? words : "***" }
}
