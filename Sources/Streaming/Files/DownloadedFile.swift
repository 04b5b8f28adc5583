// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
public import StrataCore

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// What a download has made.
public struct DownloadedFile: Sendable {
    public var url: URL
    public var byteCount: Int64
    /// How many of the bytes an earlier call had left.
    public var resumedFrom: Int64
    /// The head of the last response: 206 when the download was resumed, 416 when nothing was missing.
    public var response: HTTPResponse
    public var exchange: ExchangeRecord
}
