// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataCore
import StrataEncoding
import Testing

extension TestedTransport {
    /// Runs `work` with a client, and an empty folder.
    func run(_ url: String, _ work: (NetworkClient, URL) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "strata-files-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try await run { transport in
            try await work(
                NetworkClient(configuration: .init(baseURL: URL(string: url), transport: transport)), folder)
        }
    }
}

/// The names in a folder, hidden ones too.
func names(in folder: URL) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
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
