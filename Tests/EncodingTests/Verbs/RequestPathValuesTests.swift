// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataCore
import StrataEncoding
import StrataTesting
import Testing

struct RequestPathValuesTests {
    private enum Plan: String { case free }
    private enum Sort: String, Codable { case newest }
    private struct UserID: Encodable {
        var value: Int
        func encode(to encoder: any Encoder) throws { try value.encode(to: encoder) }
    }
    private struct Model: Encodable { var id = 1 }

    private let transport = ScriptedTransport()

    private func sent(_ path: RequestPath) async throws -> String {
        let client = NetworkClient(configuration: NetworkConfiguration(baseURL: "https://h", transport: transport))
        try await client.get(path)
        return transport.requests.last?.target ?? ""
    }

    /// The texts are those of a query: there is one room for them.
    @Test func aValueHasTheTextOfAQuery() async throws {
        let id = try #require(UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F"))
        let date = Date(timeIntervalSince1970: 0)
        let address = try #require(URL(string: "https://a.example/b"))
        func same(_ path: RequestPath, _ value: some Encodable, _ location: SourceLocation = #_sourceLocation)
            async throws
        {
            let query = try QueryEncoder().string(from: value, named: "v")
            #expect(try await sent(path) == "/a/\(query.dropFirst(2))", sourceLocation: location)
        }
        try await same("a/\(id)", id)
        try await same("a/\(date)", date)
        try await same("a/\(address)", address)
        try await same("a/\(true)", true)
        try await same("a/\(1.50)", 1.50)
        try await same("a/\(UInt8(7))", UInt8(7))
        try await same("a/\(Decimal(string: "1.10"))", Decimal(string: "1.10"))
        try await same("a/\(Sort.newest)", Sort.newest)
        try await same("a/\(UserID(value: 7))", UserID(value: 7))
        try await same("a/\(Int?(3))", 3)
        #expect(try await sent("a/\(Plan.free)") == "/a/free")
        #expect(try await sent("a/\(Plan?.some(.free))") == "/a/free")
    }

    @Test func whatIsNoSegmentFails() async {
        for path: RequestPath in ["a/\(Model())", "a/\([1, 2])", "a/\(["k": 1])"] {
            await #expect { try await sent(path) } throws: {
                ($0 as? NetworkClientError)?.code == .encodingFailed
            }
        }
        for path: RequestPath in ["a/\(Plan?.none)", "a/\(UUID?.none)", "a/\(Int??.some(nil))"] {
            await #expect { try await sent(path) } throws: {
                ($0 as? NetworkClientError)?.code == .malformedURL
            }
        }
        #expect(transport.requests.isEmpty)
    }
}
