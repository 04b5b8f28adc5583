// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import StrataCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A request that is to be answered from a cassette, as it would stand there: with its secrets masked.
struct AskedRequest: Sendable {
    /// A large body is not in it, but in ``file``.
    let recorded: RecordedRequest
    /// With its secrets: what a browser's export has.
    let originalURL: String
    /// The path of a large body.
    let file: String?
    /// Where the body would be left out of a recording: how many bytes it has.
    let withheldSize: Int64?
    private let owner: BodyFile?
    private let masks: FieldMasks

    /// Reads the body to its end, as a server would.
    init(_ request: TransportRequest, redaction: Redaction) async throws {
        let options = request.call?.options(with: request.options) ?? request.options
        masks = FieldMasks(redaction: redaction, options: options)
        var settings = RecordingOptions()
        settings.redaction = redaction
        let body = BodyRecorder(
            nil, settings, contentType: request.head.headerFields.contentType, requestOptions: { options })
        if !request.body.isEmpty {
            body.begin()
            let source = try request.body.makeSource()
            defer { source.cancel() }
            while let piece = try await source.next() {
                try Task.checkCancellation()
                body.add(piece, at: .zero)
            }
        }
        let finished = try body.finish()
        var (data, owner, withheld) = (Data(), nil as BodyFile?, nil as Int64?)
        switch finished.content {
        case .none: break
        case .data(let bytes): data = bytes
        case .file(let file): owner = file
        case .withheld: withheld = finished.size
        }
        (self.owner, file, withheldSize) = (owner, owner?.path, withheld)
        originalURL = request.head.absoluteURL
        recorded = Self.masked(request.head, masks, body: data, hasBody: !request.body.isEmpty, options: options)
    }

    private init(_ entry: Cassette.Entry, _ masks: FieldMasks) {
        self.masks = masks
        originalURL = entry.urlOverHTTP
        owner = nil
        file = (try? entry.bodyPath(entry.requestContent, "request.postData")) ?? nil
        withheldSize = entry.requestContent.isWithheld ? entry.requestSize : nil
        let url = try? RequestURL(URLReference(entry.urlOverHTTP), ignoresCredentials: true)
        let head = HTTPRequest(
            method: entry.method, scheme: url?.scheme, authority: url?.authority, path: url?.target,
            headerFields: entry.requestFields)
        var body = file == nil && withheldSize == nil ? (try? entry.requestBody()) ?? Data() : Data()
        if !entry.isOurs {
            let text = MaskableText(body)
            body =
                masks.redaction.maskedText(
                    text.visible, contentType: entry.requestFields.contentType, options: masks.options
                ).map { text.restored($0) } ?? body
        }
        recorded = Self.masked(
            head, masks, body: body, hasBody: entry.hasRequestBody, options: masks.options, number: entry.number)
    }

    /// An entry as this request would be masked.
    func masked(_ entry: Cassette.Entry) -> AskedRequest { AskedRequest(entry, masks) }

    private static func masked(
        _ head: HTTPRequest, _ masks: FieldMasks, body: Data, hasBody: Bool, options: RequestOptions, number: Int = 0
    ) -> RecordedRequest {
        var head = head.withoutUserInformation
        head.path = head.path.map { masks.redaction.wholeURL($0, options: options) }
        head.headerFields = HTTPFields(head.headerFields.map { HTTPField(name: $0.name, value: masks.value(of: $0)) })
        return RecordedRequest(
            number: number, head: head, body: body, hasBody: hasBody, options: options, trailers: [:])
    }
}
