// SPDX-License-Identifier: Apache-2.0

extension NetworkClientError.Code {
    /// The number of the `URLError.Code` that `URLSession` has for this stage; `nil` for stages that it does not tell apart.
    ///
    /// For front ends that throw `URLError` whatever the transport is. Numbers, because `URLError` is in Foundation, which
    /// this module does not link.
    package var urlErrorCode: Int? {
        switch self {
        case .cancelled: -999  // cancelled
        case .malformedURL: -1000  // badURL
        case .timedOut: -1001  // timedOut
        case .dnsFailed: -1003  // cannotFindHost
        case .cannotConnect, .proxyFailed: -1004  // cannotConnectToHost
        case .connectionLost: -1005  // networkConnectionLost
        case .tooManyRedirects: -1007  // httpTooManyRedirects
        case .invalidRedirect: -1010  // redirectToNonExistentLocation
        case .protocolViolation: -1011  // badServerResponse
        case .contentEncodingFailed: -1016  // cannotDecodeContentData
        case .bodyTooLarge: -1103  // dataLengthExceedsMaximum
        case .tlsFailed: -1200  // secureConnectionFailed
        default: nil
        }
    }
}
