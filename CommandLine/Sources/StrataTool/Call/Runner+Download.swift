// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataCore
import StrataEncoding
import StrataStreaming

extension Runner {
    func download(with client: NetworkClient, to path: String?, continues: Bool) async throws -> Outcome {
        let encoded = try plan.call.encodedBody()
        guard let method = HTTPMethod(rawValue: plan.call.effectiveMethod) else {
            throw UsageError("the method is no token")
        }
        let request = NetworkRequest<RequestBody, VoidResponse>(
            path: RequestPath(raw: plan.call.urlWithQuery), method: method,
            body: encoded.body.isEmpty ? nil : encoded.body,
            headerFields: try plan.call.headerFields(contentType: encoded.contentType),
            options: { [options = plan.call.options] in
                $0.timeouts = options.timeouts
                $0.httpVersion = options.httpVersion
                $0.redirects = options.redirects
                // An error page is not the file.
                $0.acceptableStatus = .success
            })
        let place = URL(filePath: path ?? Self.name(from: plan.call.url))
        var options = continues ? DownloadOptions.resuming(attempts: max(plan.call.attempts, 1)) : DownloadOptions()
        // What nobody has named is not overwritten.
        options.replacesExisting = path != nil
        let updates = ProgressUpdates()
        async let shown: Void = show(updates)
        let file: DownloadedFile
        do {
            file = try await client.download(request, to: place, options: options, progress: updates)
        } catch {
            await shown
            throw error
        }
        await shown
        var saved = file.url
        if path == nil, let name = ContentDisposition(of: file.response)?.safeFilename, name != saved.lastPathComponent
        {
            let wanted = saved.deletingLastPathComponent().appending(path: name)
            if !FileManager.default.fileExists(atPath: wanted.path),
                (try? FileManager.default.moveItem(at: saved, to: wanted)) != nil
            {
                saved = wanted
            }
        }
        let resumed = file.resumedFrom > 0 ? ", \(ProgressLine.size(file.resumedFrom)) of it from before" : ""
        output.note(
            "saved \(ProgressLine.size(file.byteCount)) to \(TerminalText.safe(saved.relativePath))\(resumed)\n")
        explain(file.exchange)
        return .success
    }

    private func show(_ updates: ProgressUpdates) async {
        var length = 0
        for await progress in updates where terminal.isError {
            let line = ProgressLine.text(progress, width: terminal.width)
            output.note("\r" + line + String(repeating: " ", count: max(0, length - line.count)))
            length = line.count
        }
        if length > 0 { output.note("\r" + String(repeating: " ", count: length) + "\r") }
    }

    /// The last part of a URL's path.
    package static func name(from url: String) -> String {
        let path = url.prefix { !"?#".contains($0) }
        let rest = path.range(of: "://").map { path[$0.upperBound...] } ?? path
        let parts = rest.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count > 1, let last = parts.last?.removingPercentEncoding else { return "index.html" }
        let name = last.filter {
            $0 != "/" && $0 != "\\" && !$0.isNewline && $0.unicodeScalars.allSatisfy { $0.value >= 32 }
        }
        return name.isEmpty || name == "." || name == ".." ? "index.html" : String(name)
    }
}
