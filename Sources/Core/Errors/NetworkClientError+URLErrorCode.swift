// SPDX-License-Identifier: Apache-2.0

extension NetworkClientError {
    /// The number of the `URLError.Code` for this error; `nil` for stages that `URLSession` does not tell apart.
    ///
    /// For front ends that throw `URLError` whatever the transport is. Numbers, because `URLError` is in Foundation, which
    /// this module does not link. Where a session is the transport, its own code counts. `cancelled` does not: a session
    /// that cancels a task does not say why.
    package var urlErrorCode: Int? {
        if let cause, cause._domain == "NSURLErrorDomain", cause._code != Self.cancelledCode { return cause._code }
        return code.urlErrorCode
    }

    fileprivate static let cancelledCode = -999
}

extension NetworkClientError.Code {
    fileprivate var urlErrorCode: Int? {
        switch self {
        case .cancelled: NetworkClientError.cancelledCode
        case .malformedURL: -1000  // badURL
        case .timedOut: -1001  // timedOut
        case .dnsFailed: -1003  // cannotFindHost
        case .cannotConnect, .proxyFailed: -1004  // cannotConnectToHost
        case .connectionLost: -1005  // networkConnectionLost
        case .tooManyRedirects: -1007  // httpTooManyRedirects
        case .invalidRedirect: -1010  // redirectToNonExistentLocation
        case .protocolViolation: -1011  // badServerResponse
        case .contentEncodingFailed: -1016  // cannotDecodeContentData
        case .signedOut: -1013  // userAuthenticationRequired
        case .bodyTooLarge: -1103  // dataLengthExceedsMaximum
        case .tlsFailed: -1200  // secureConnectionFailed
        default: nil
        }
    }
}
