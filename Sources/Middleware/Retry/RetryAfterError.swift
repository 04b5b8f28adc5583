// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
public import StrataCore

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The server has named a time before which it does not want to be asked again.
public struct RetryAfterError: DescribedError {
    /// When to come back.
    public let date: Date
    /// How long that was from when the response arrived; zero when the server named a date that has passed.
    public let delay: Duration
    public let response: HTTPResponse
    public let exchange: ExchangeRecord

    public var status: HTTPResponse.Status { response.status }

    public var description: String {
        "the server answered with status \(status.code), to be asked again in \(delay.brief)"
    }
}

extension RetryAfterError: CustomReflectable {
    /// The fields of the response stay out of dumps.
    @_documentation(visibility: internal)
    public var customMirror: Mirror {
        Mirror(
            self, children: ["date": date, "delay": delay, "status": status.code, "exchange": exchange],
            displayStyle: .struct)
    }
}
