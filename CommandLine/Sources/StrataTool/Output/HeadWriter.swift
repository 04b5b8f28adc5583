// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataCore

/// Writes the heads of requests and responses, and the bodies of requests.
struct HeadWriter {
    let plan: Plan
    private var palette: Palette { Palette(isOn: plan.isColored) }

    init(plan: Plan) { self.plan = plan }

    func request(_ request: TransportRequest) -> String {
        guard plan.parts.contains(.requestHead) || plan.parts.contains(.requestBody) else { return "" }
        let shown = MaskedRequest(request, showsSecrets: plan.showsSecrets)
        var text = ""
        if plan.parts.contains(.requestHead) {
            let url = shown.url.range(of: "://").map { shown.url[$0.upperBound...] } ?? shown.url[...]
            let target = url.firstIndex { "/?".contains($0) }.map { String(url[$0...]) } ?? "/"
            text += palette.paint(request.head.method.rawValue, .success) + " \(TerminalText.safe(target)) HTTP\n"
            text += field("Host", request.head.authority ?? "")
            for (name, value) in shown.fields { text += field(name, value) }
            text += "\n"
        }
        if plan.parts.contains(.requestBody), !request.body.isEmpty {
            if let body = shown.body, !TerminalText.isBinary(body) {
                let json = JSONFormat(isIndented: plan.isIndented, palette: palette).format(body)
                text += (json ?? TerminalText.safe(String(decoding: body, as: UTF8.self))) + "\n\n"
            } else {
                text += palette.paint(
                    "(a body of \(request.body.length.map { "\($0)" } ?? "unknown many") bytes)", .faint)
                text += "\n\n"
            }
        }
        return text
    }

    func response(_ head: HTTPResponse) -> String {
        guard plan.parts.contains(.responseHead) else { return "" }
        var text = "HTTP " + palette.paint(Runner.statusText(head), palette.role(ofStatus: head.status.code)) + "\n"
        for line in head.headerFields { text += field(line.name.rawName, line.value) }
        return text + "\n"
    }

    private func field(_ name: String, _ value: String) -> String {
        "\(palette.paint(TerminalText.safe(name), .fieldName)): \(TerminalText.safe(value))\n"
    }
}
