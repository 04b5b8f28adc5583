// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes

/// A decoded response: its value, and the head that came with it.
public struct NetworkResponse<ResponseModel> {
    public let value: ResponseModel
    public let response: HTTPResponse
    /// The record of the call: its attempts, the reason for each, and their timings.
    public let exchange: ExchangeRecord
    /// The head of the request that this is the response to: after redirects, that of the last one.
    public let request: HTTPRequest?
    private let receivedTrailers: HTTPFields?

    /// - `trailers`: the fields behind the body; `nil` for none.
    public init(
        value: ResponseModel, response: HTTPResponse, exchange: ExchangeRecord = ExchangeRecord(),
        request: HTTPRequest? = nil, trailers: HTTPFields? = nil
    ) {
        self.value = value
        self.response = response
        self.exchange = exchange
        self.request = request
        receivedTrailers = trailers
    }
}

extension NetworkResponse {
    public var status: HTTPResponse.Status { response.status }

    public var headerFields: HTTPFields { response.headerFields }

    /// The fields behind the body; see ``TransportResponse/trailers``.
    public var trailers: HTTPFields { receivedTrailers ?? [:] }

    /// The URL that answered, query included.
    public var url: String? { request?.absoluteURL }
}

extension NetworkResponse: Sendable where ResponseModel: Sendable {}

extension NetworkResponse: CustomStringConvertible, CustomReflectable {
    /// `GET https://api.example/users -> 200`: without query, fields and value.
    public var description: String {
        [request.map { "\($0.method.rawValue) \($0.urlWithoutQuery) ->" }, "\(status.code)"].compactMap { $0 }
            .joined(separator: " ")
    }

    /// The value is the caller's own; fields stay out of dumps.
    @_documentation(visibility: internal)
    public var customMirror: Mirror {
        Mirror(self, children: ["description": description, "value": value, "exchange": exchange])
    }
}
