// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataCore
public import StrataTesting

extension ScriptedTransport {
    /// Answers as httpbin's `/anything` does: with what was asked, in JSON.
    public static func echoing() -> ScriptedTransport {
        ScriptedTransport { request in
            let data = try JSONSerialization.data(withJSONObject: record(of: request), options: .sortedKeys)
            return .json(String(decoding: data, as: UTF8.self))
        }
    }

    private static func record(of request: RecordedRequest) throws -> [String: Any] {
        var headers: [String: String] = [:]
        for field in request.head.headerFields {
            headers[field.name.rawName] = headers[field.name.rawName].map { "\($0),\(field.value)" } ?? field.value
        }
        if request.hasBody { headers["Content-Length"] = "\(request.body.count)" }
        let type = request["Content-Type"] ?? ""
        var record: [String: Any] = [
            "method": request.method.rawValue, "url": request.url, "headers": headers, "data": "",
            "args": pairs(request.query ?? ""), "form": [:], "json": NSNull(),
        ]
        if type == "application/x-www-form-urlencoded" {
            record["form"] = pairs(request.text)
        } else if type.hasPrefix("multipart/form-data") {
            record["form"] = parts(request.text)
        } else {
            record["data"] = request.text
            record["json"] = (try? JSONSerialization.jsonObject(with: request.body)) ?? NSNull()
        }
        return record
    }

    private static func pairs(_ text: String) -> [String: String] {
        var result: [String: String] = [:]
        for pair in text.split(separator: "&") {
            let halves = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let decoded = halves.map { $0.replacing("+", with: " ").removingPercentEncoding ?? "" }
            result[decoded[0]] = decoded.count > 1 ? decoded[1] : ""
        }
        return result
    }

    private static func parts(_ text: String) -> [String: String] {
        var result: [String: String] = [:]
        for part in text.components(separatedBy: "--x\r\n").dropFirst() {
            let halves = part.components(separatedBy: "\r\n\r\n")
            guard halves.count > 1,
                let name = halves[0].components(separatedBy: "name=\"").last?.split(separator: "\"").first
            else { continue }
            result[String(name)] = halves[1].components(separatedBy: "\r\n")[0]
        }
        return result
    }
}
