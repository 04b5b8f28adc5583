// SPDX-License-Identifier: Apache-2.0

import HTTPTypes

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension NetworkConfiguration {
    /// The request as it goes down the pipeline: URL, fields and body.
    func transportRequest<RequestModel, ResponseModel>(
        for request: NetworkRequest<RequestModel, ResponseModel>, options: RequestOptions
    ) throws -> TransportRequest {
        var options = options
        request.options?(&options)
        options.sensitiveFields.formUnion(self.options.sensitiveFields)
        options.sensitiveQueryItems.formUnion(self.options.sensitiveQueryItems)
        options.exempt(request.method)
        options.defaultUserAgent = options.isSensitive(.userAgent) ? nil : userAgent
        let own = try request.baseURL.map { try RequestURL($0.absoluteString) }
        let base = try own ?? base
        var url = try RequestURL(base: base, path: try request.path?.text, items: request.queryItems ?? [])
        // Credentials in the base URL are the client's own. A URL that was resolved against the base URL has the same
        // ones.
        let isAtBase = url.authority == base?.authority && url.userinfo == base?.userinfo
        if own == nil, options.isAuthenticationExempt, isAtBase { url.userinfo = nil }
        var fields = request.headerFields
        if let additional = request.additionalHeaders { try fields.replace(with: additional) }
        if options.template == nil, let template = request.path?.template {
            options.template = URLTemplate(template, below: base?.path ?? "")
        }
        let encoded = try encodeBody(of: request)
        if let contentType = encoded.contentType, !encoded.body.isEmpty,
            Self.isSent(contentType, unless: fields[.contentType])
        {
            try fields.setValue(contentType, for: .contentType)
        }
        addDefaultFields(to: &fields, for: url, options: options, hasBody: encoded.body.length != 0)
        if fields[.accept] == nil {
            let accepted = (request.decoder ?? defaultDecoder).acceptedContentTypes(for: ResponseModel.self)
            if !accepted.isEmpty {
                let list = accepted.count == 1 ? accepted[0] : accepted.joined(separator: ", ")
                let value = try HTTPFields.checkedValue(list, name: "Accept")
                fields.append(HTTPField(name: .accept, value: value))
            }
        }
        return TransportRequest(
            method: request.method, url: url, headerFields: fields, body: encoded.body, options: options,
            middleware: request.middleware)
    }

    /// Whether the media type that an encoder gave its body is sent, or the `Content-Type` that the caller set (`own`).
    /// The caller's wins, unless it is the same multipart type with another boundary or none, with which no receiver
    /// could take the body apart (RFC 2046 §5.1.1).
    package static func isSent(_ contentType: String, unless own: String?) -> Bool {
        guard let own else { return true }
        func boundary(of type: String) -> String {
            HTTPFields.parameter("boundary", of: type)?.filter { $0 != "\"" } ?? ""
        }
        let essence = HTTPFields.essence(of: own)
        return essence?.hasPrefix("multipart/") == true && essence == HTTPFields.essence(of: contentType)
            && !boundary(of: contentType).isEmpty && boundary(of: own) != boundary(of: contentType)
    }

    /// Adds the default fields that the request does not have. Secrets among them are for the client's own server. A
    /// `Content-Type` among them is for bodies without a type of their own.
    private func addDefaultFields(
        to fields: inout HTTPFields, for url: RequestURL, options: RequestOptions, hasBody: Bool
    ) {
        if defaultFields.isEmpty { return }
        let isAtHome = homeServer(scheme: url.scheme, authority: url.authority, options: options)
            .isServer(ofScheme: url.scheme, authority: url.authority)
        for field in options.additions(to: fields, from: defaultFields, isAtHome: isAtHome)
        where hasBody || field.name != .contentType {
            fields.append(field)
        }
    }

    /// The same for a call: when it fails here, the error has the call's record, in which there is no attempt yet.
    package func recordedTransportRequest<RequestModel, ResponseModel>(
        for request: NetworkRequest<RequestModel, ResponseModel>, options: RequestOptions
    ) throws -> TransportRequest {
        do {
            return try transportRequest(for: request, options: options)
        } catch var error as NetworkClientError {
            error.exchange = ExchangeRecord()
            throw error
        }
    }

    private func encodeBody<RequestModel, ResponseModel>(
        of request: NetworkRequest<RequestModel, ResponseModel>
    ) throws -> EncodedBody {
        if let items = request.formItems {
            return .form(Data(items.urlEncoded))
        }
        guard RequestModel.self != VoidRequest.self, let model = request.body, !(model is VoidRequest),
            !isNil(model)
        else { return EncodedBody(.empty, contentType: nil) }
        do {
            return try (request.encoder ?? defaultEncoder).body(of: model)
        } catch {
            throw NetworkClientError.encodingFailed("\(RequestModel.self)", cause: error)
        }
    }
}
