// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataCore
import StrataEncoding
import TestSupport
import Testing

extension TestedTransport {
    /// Runs `work` with a client, and an empty folder.
    func run(_ url: String, _ work: (NetworkClient, TemporaryFolder) async throws -> Void) async throws {
        let folder = try TemporaryFolder()
        try await run { transport in
            try await work(
                NetworkClient(configuration: .init(baseURL: URL(string: url), transport: transport)), folder)
        }
    }
}

/// Bytes that differ from place to place.
func patternedData(count: Int) -> Data {
    var data = Data(capacity: count + 8)
    var number: UInt64 = 0
    while data.count < count {
        number += 0x9E37_79B9_7F4A_7C15 & 0xFFFF_FFFF
        withUnsafeBytes(of: number) { data.append(contentsOf: $0) }
    }
    return data.prefix(count)
}
