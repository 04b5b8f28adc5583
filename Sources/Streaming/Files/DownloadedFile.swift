// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
public import StrataCore

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The outcome of a download.
public struct DownloadedFile: Sendable {
    /// Where it was saved.
    public var url: URL
    /// The size of the whole file, in bytes.
    public var byteCount: Int64
    /// How many of these bytes an earlier download had left; 0 for one that began anew.
    public var resumedFrom: Int64
    /// The head of the last response: 206 when the download was resumed, 416 when nothing was missing.
    public var response: HTTPResponse
    public var exchange: ExchangeRecord
}

extension DownloadedFile: CustomStringConvertible, CustomReflectable {
    /// `/tmp/big.iso (5120 bytes)`.
    public var description: String { "\(url.path(percentEncoded: false)) (\(byteCount) bytes)" }

    /// The response's fields stay out of dumps.
    @_documentation(visibility: internal)
    public var customMirror: Mirror {
        Mirror(
            self,
            children: [
                "url": url, "byteCount": byteCount, "resumedFrom": resumedFrom, "status": response.status.code,
                "exchange": exchange,
            ], displayStyle: .struct)
    }
}
