// SPDX-License-Identifier: Apache-2.0

public import StrataCore

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension WebSocket {
    /// A message, whole, however many fragments it came in.
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum Message: Hashable, Sendable {
        case text(String)
        case data(Data)
    }
}

extension WebSocket.Message: DumpedAsDescription {
    /// `text (12 bytes)`: not what it says.
    public var description: String {
        switch self {
        case .text(let text): "text (\(text.utf8.count) bytes)"
        case .data(let data): "data (\(data.count) bytes)"
        }
    }
}
