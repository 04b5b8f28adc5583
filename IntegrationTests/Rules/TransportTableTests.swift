// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataCore
import StrataCurl
import StrataNative
import StrataURLSession
import TestSupport
import Testing

/// The table of the page *Transports* is that of the transports' `capabilities`.
struct TransportTableTests {
    /// Each feature with what the page says of each transport.
    private static func rows() throws -> [(feature: String, cells: [String])] {
        let lines = try PackageFolder.read("Docs.docc/Transports.md").split(separator: "\n")
        return lines.drop { !$0.hasPrefix("| feature | libcurl") }.prefix { $0.hasPrefix("|") }.dropFirst(2).map {
            let cells = $0.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            return (cells[0].trimmingCharacters(in: ["`"]), Array(cells.dropFirst().dropLast()))
        }
    }

    @Test func everyFeatureHasARow() throws {
        let all = TransportCapabilities.Features(rawValue: ~0).description
        #expect(try Self.rows().map(\.feature).sorted() == all.split(separator: ", ").map(String.init).sorted())
    }

    @Test func theCellsSayWhatTheTransportsSay() throws {
        #if canImport(Darwin)
        let session = 2
        #else
        let session = 3
        #endif
        let columns: [(Int, any NetworkTransport)] = [
            (0, CurlTransport()), (1, NativeTransport()), (session, URLSessionTransport()),
        ]
        for (feature, cells) in try Self.rows() {
            try #require(cells.count == 4)
            for (column, transport) in columns {
                let features = transport.capabilities.features.description.split(separator: ", ")
                switch cells[column] {
                case "yes": #expect(features.contains(Substring(feature)), "\(transport.capabilities.name): \(feature)")
                case "no": #expect(!features.contains(Substring(feature)), "\(transport.capabilities.name): \(feature)")
                default: #expect(cells[column].hasPrefix("where "), "\(feature): \(cells[column])")
                }
            }
        }
    }
}
