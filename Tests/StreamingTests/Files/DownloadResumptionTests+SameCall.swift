// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataCore
import StrataEncoding
import StrataTesting
import TestSupport
import Testing

@testable import StrataStreaming

extension DownloadResumptionTests {
    // MARK: By itself

    private func client(_ transport: ScriptedTransport, _ clock: VirtualClock) -> NetworkClient {
        NetworkClient(
            configuration: NetworkConfiguration(
                baseURL: URL(string: "https://api.example"), transport: transport, clock: clock))
    }

    @Test func aBrokenBodyIsTakenUpAtOnceByTheSameCall() async throws {
        let clock = VirtualClock()
        let transport = ScriptedTransport(
            Self.brokenOff(),
            .pieces(
                [Data("45".utf8)], status: 206, fields: [.contentRange: "bytes 4-9/10", .eTag: "\"v1\""], length: 6,
                failure: NetworkClientError(.connectionLost, "scripted")),
            Self.part("6789", "6-9/10"))
        let file = try await client(transport, clock).download(
            request, to: folder["a.txt"], options: .resuming(attempts: 3))
        #expect(try folder.text("a.txt") == Self.whole)
        #expect(file.resumedFrom == 0 && file.byteCount == 10)
        #expect(transport.requests.map { $0["range"] } == [nil, "bytes=4-", "bytes=6-"])
        #expect(transport.requests.map { $0["if-range"] } == [nil, "\"v1\"", "\"v1\""])
        #expect(clock.sleeps == [.seconds(1), .seconds(2)])
    }

    @Test func aChangedResourceStartsOver() async throws {
        let transport = ScriptedTransport(Self.brokenOff(), Self.whole("\"v2\"", text: "abcdefghij"))
        let file = try await client(transport, VirtualClock()).download(
            request, to: folder["a.txt"], options: .resuming(attempts: 2))
        #expect(try folder.text("a.txt") == "abcdefghij")
        #expect(transport.requests[1]["if-range"] == "\"v1\"")
        #expect(file.byteCount == 10)
    }

    @Test(arguments: [[:], [.eTag: "W/\"v1\""]] as [HTTPFields])
    func withoutAStrongValidatorItStartsOver(_ fields: HTTPFields) async throws {
        let transport = ScriptedTransport(Self.brokenOff(fields), Self.whole())
        try await client(transport, VirtualClock()).download(
            request, to: folder["a.txt"], options: .resuming(attempts: 2))
        #expect(try folder.text("a.txt") == Self.whole)
        #expect(transport.requests[1]["range"] == nil)
    }

    @Test func attemptsEndAndTheRestIsKeptForALaterDownload() async throws {
        let transport = ScriptedTransport(
            Self.brokenOff(), .failure(NetworkClientError(.cannotConnect, "scripted")), Self.part("456789", "4-9/10"))
        let client = client(transport, VirtualClock())
        await #expect {
            try await client.download(request, to: folder["a.txt"], options: .resuming(attempts: 2))
        } throws: {
            isFailure($0, .cannotConnect)
        }
        #expect(transport.requests.count == 2)
        let file = try await client.download(request, to: folder["a.txt"], options: .resuming)
        #expect(try folder.text("a.txt") == Self.whole)
        #expect(file.resumedFrom == 4)
    }

    @Test func aWaitThatDoesNotFitInTheDeadlineIsNotBegun() async throws {
        let clock = VirtualClock()
        let transport = ScriptedTransport(Self.brokenOff(), Self.brokenOff(), Self.brokenOff())
        let request = PlainRequest(path: "file", method: .get) { $0.timeouts.deadline = .milliseconds(2500) }
        await #expect {
            try await client(transport, clock).download(request, to: folder["a.txt"], options: .resuming(attempts: 9))
        } throws: {
            isFailure($0, .connectionLost)
        }
        #expect(clock.sleeps == [.seconds(1)])
        #expect(transport.requests.count == 2)
    }

    @Test func whatIsNotTransientIsNotTriedAgain() async throws {
        let transport = ScriptedTransport(.status(404))
        await #expect(throws: NetworkClientError.self) {
            try await client(transport, VirtualClock()).download(
                request, to: folder["a.txt"], options: .resuming(attempts: 9))
        }
        #expect(transport.requests.count == 1)
    }
}
