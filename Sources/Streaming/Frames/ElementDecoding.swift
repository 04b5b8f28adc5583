// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
package import StrataCore

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// Turns one element of a stream into a model, and explains where it cannot.
package struct ElementDecoding: Sendable {
    let decoder: any ResponseBodyDecoder
    let onFailure: (@Sendable (NetworkClientError) -> Void)?

    package init(decoder: any ResponseBodyDecoder, onFailure: (@Sendable (NetworkClientError) -> Void)?) {
        self.decoder = decoder
        self.onFailure = onFailure
    }

    /// Text and bytes are taken as they are, unless the decoder reads a part of them only.
    package func decode<Model: Decodable>(_ type: Model.Type, from text: String, of origin: ElementOrigin) throws
        -> Model
    {
        // Not decoded from bytes, which would drop a byte order mark. In an element it is a part of the text.
        if type == String.self || type == String?.self, takesWhole(of: origin) { return try ModelDecoding.model(text) }
        return try decode(type, from: Data(text.utf8), of: origin)
    }

    package func decode<Model: Decodable>(_ type: Model.Type, from data: Data, of origin: ElementOrigin) throws -> Model
    {
        if type == VoidResponse.self { return try ModelDecoding.model(VoidResponse()) }
        let model: Model
        do {
            if ModelDecoding.isWhole(type), takesWhole(of: origin) {
                return try ModelDecoding.model(ModelDecoding.whole(type, data, origin.elementHead))
            }
            model = try decoder.decode(type, from: data, response: origin.elementHead)
        } catch {
            if !takesWhole(of: origin), isErrorObject(data, insteadOf: type, of: origin) {
                throw errorEvent(data, of: origin)
            }
            throw failure(
                "an element of the stream could not be decoded as \(modelName(type))", cause: error, of: data, origin)
        }
        if takesWhole(of: origin) || isNil(model), isErrorObject(data, insteadOf: type, of: origin) {
            throw errorEvent(data, of: origin)
        }
        return model
    }

    /// What the server reported as an error.
    func errorEvent(_ data: Data, of origin: ElementOrigin) -> NetworkClientError {
        var error = StreamFailure.errorEvent()
        error.body = NetworkClientError.start(of: data)
        error.decoder = ElementDecoder(whole: decoder.forWholeBodies)
        return origin.response.attached(to: error)
    }

    /// Whether the data are an object that has a member `error`, and nothing that the model reads: all of a model's
    /// properties may be optional, and it would be an empty element then.
    private func isErrorObject<Model: Decodable>(
        _ data: Data, insteadOf type: Model.Type, of origin: ElementOrigin
    ) -> Bool {
        guard data.mentionsError else { return false }
        // A part of the data was looked for, and is not there.
        guard takesWhole(of: origin) else {
            let whole = decoder.forWholeBodies
            let object = try? whole.decode(ErrorObject<VoidResponse>.self, from: data, response: origin.elementHead)
            return object?.hasError ?? false
        }
        let object = try? decoder.decode(ErrorObject<Model>.self, from: data, response: origin.elementHead)
        return object.map { $0.hasError && !$0.isRead } ?? false
    }

    func truncated(_ data: Data, of origin: ElementOrigin) -> NetworkClientError {
        failure("an element of the stream is not complete", of: data, origin)
    }

    private func takesWhole(of origin: ElementOrigin) -> Bool {
        !decoder.decodesPartOfBody(of: origin.elementHead)
    }

    private func failure(
        _ message: String, cause: (any Error)? = nil, of data: Data, _ origin: ElementOrigin
    ) -> NetworkClientError {
        let failure = origin.response.decodingFailure(
            message, cause: cause, of: data, decoder: ElementDecoder(whole: decoder))
        onFailure?(failure)
        return failure
    }
}

/// The response that elements come from, and the head that a decoder is given for one of them.
package struct ElementOrigin: Sendable {
    let response: TransportResponse
    /// Made once, not for each element.
    let elementHead: HTTPResponse

    package init(_ response: TransportResponse) {
        self.response = response
        elementHead = response.head.ofElement
    }
}

extension HTTPResponse {
    /// The head for one element. Its type is JSON, whatever the stream's own is, so that a decoder that goes by the
    /// media type reads the element as JSON. The parameters of an event stream are left out, because the data of events
    /// is UTF-8 whatever they say.
    fileprivate var ofElement: HTTPResponse {
        let type = headerFields.contentType ?? ""
        let parameters = HTTPFields.essence(of: type) == "text/event-stream" ? "" : type.drop { $0 != ";" }
        var head = self
        head.headerFields[.contentType] = "application/json" + parameters
        return head
    }
}

/// Decodes an element with the head of its stream: what an error keeps, so that its body can be decoded later.
private struct ElementDecoder: ResponseBodyDecoder {
    let whole: any ResponseBodyDecoder
    var acceptedContentTypes: [String] { whole.acceptedContentTypes }
    var decodesPartOfBody: Bool { whole.decodesPartOfBody }

    func decodesPartOfBody(of response: HTTPResponse) -> Bool {
        whole.decodesPartOfBody(of: response.ofElement)
    }

    func decode<Model: Decodable>(_ type: Model.Type, from data: Data, response: HTTPResponse) throws -> Model {
        try whole.decode(type, from: data, response: response.ofElement)
    }
}
