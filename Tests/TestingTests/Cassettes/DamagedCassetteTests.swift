// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataCore
import StrataEncoding
import StrataTesting
import TestSupport
import Testing

struct DamagedCassetteTests {
    private static let request = #""request": {"method": "GET", "url": "https://h/", "headers": []}"#
    private static let response = #""response": {"status": 200, "headers": [], "content": {}}"#

    /// What is wrong in the second entry, and where.
    private static let damages: [(entry: String, member: String)] = [
        ("[]", "log.entries[1]"), (#"{"request": 1}"#, "log.entries[1].request"),
        (#"{\#(response)}"#, "log.entries[1]"), (#"{\#(request)}"#, "log.entries[1]"),
        (#"{"request": {"method": "GET"}, \#(response)}"#, "log.entries[1].request"),
        (#"{"request": {"method": "G T", "url": "https://h/"}, \#(response)}"#, "log.entries[1].request"),
        (#"{"request": {"method": 5, "url": "https://h/"}, \#(response)}"#, "log.entries[1].request.method"),
        (#"{\#(request), "response": {"status": 1000}}"#, "log.entries[1].response.status"),
        (#"{\#(request), "response": {"status": 20.5}}"#, "log.entries[1].response.status"),
        (#"{\#(request), "response": {"status": "200"}}"#, "log.entries[1].response.status"),
        (#"{\#(request), "response": {"status": -1}}"#, "log.entries[1].response.status"),
        (#"{\#(request), "response": {"status": 200, "headers": {}}}"#, "log.entries[1].response.headers"),
        (
            #"{\#(request), "response": {"headers": [{"name": "a b", "value": ""}]}}"#,
            "log.entries[1].response.headers[0].name"
        ),
        (
            #"{\#(request), "response": {"headers": [{"name": "a", "value": 1}]}}"#,
            "log.entries[1].response.headers[0].value"
        ),
        (#"{\#(request), "response": {"content": {"size": -5}}}"#, "log.entries[1].response.content.size"),
        (#"{\#(request), "response": {"content": {"size": 1e400}}}"#, "log.entries[1].response.content.size"),
        (
            #"{\#(request), "response": {"content": {"text": "!", "encoding": "base64"}}}"#,
            "log.entries[1].response.content"
        ),
        (
            #"{\#(request), "response": {"content": {"_file": "../../etc/passwd"}}}"#,
            "log.entries[1].response.content._file"
        ),
        (#"{\#(request), "response": {"content": {"_file": "/etc/passwd"}}}"#, "log.entries[1].response.content._file"),
        (#"{\#(request), "response": {"content": {"_file": "a\\..\\b"}}}"#, "log.entries[1].response.content._file"),
        (#"{\#(request), "response": {"content": {"_file": "a\u0000b"}}}"#, "log.entries[1].response.content._file"),
        (#"{\#(request), "response": {"_pieces": [[1, -2]]}}"#, "log.entries[1].response._pieces[0][1]"),
        (#"{\#(request), "response": {"_pieces": [[1, 1e300]]}}"#, "log.entries[1].response._pieces[0][1]"),
        (#"{\#(request), "response": {"_pieces": [[1]]}}"#, "log.entries[1].response._pieces[0]"),
        (#"{\#(request), "response": {"_pieces": [["x", 1]]}}"#, "log.entries[1].response._pieces[0][0]"),
        (#"{\#(request), \#(response), "time": -50}"#, "log.entries[1].time"),
        (#"{\#(request), \#(response), "time": 1e300}"#, "log.entries[1].time"),
        (#"{\#(request), \#(response), "time": "soon"}"#, "log.entries[1].time"),
        (#"{\#(request), \#(response), "timings": {"wait": -2}}"#, "log.entries[1].timings.wait"),
        (#"{\#(request), \#(response), "_sequence": -1}"#, "log.entries[1]._sequence"),
    ]

    @Test(arguments: damages)
    func theErrorNamesTheEntryAndTheMember(_ damage: (entry: String, member: String)) throws {
        let first = "{\(Self.request), \(Self.response)}"
        let text = #"{"log": {"entries": [\#(first), \#(damage.entry)]}}"#
        let error = #expect(throws: CassetteError.self) { try Cassette(Data(text.utf8), name: "bad.har") }
        #expect(error?.member == damage.member)
        #expect(error?.entry == 1 && error?.kind == .damaged)
        #expect(error.map { "\($0)" }?.hasPrefix("bad.har: \(damage.member): ") == true)
    }

    @Test(arguments: [
        "", "null", "[]", "{}", #"{"log": 1}"#, #"{"log": {}}"#, #"{"log": {"entries": {}}}"#,
        #"{"log": {"entries": []}} x"#,
        #"{"log": {"entries": [NaN]}}"#, "\u{0}", "<html>",
    ])
    func whatIsNoHARSaysSo(_ text: String) {
        let error = #expect(throws: CassetteError.self) { try Cassette(Data(text.utf8)) }
        #expect(error?.kind == .damaged)
    }

    @Test func deepNestingIsWalkedOver() throws {
        let deep = String(repeating: "[", count: 200_000) + String(repeating: "]", count: 200_000)
        let text =
            #"{"log": {"_deep": \#(deep), "entries": [{\#(Self.request), \#(Self.response), "_deep": \#(deep)}]}}"#
        #expect(try Cassette(Data(text.utf8)).entries.count == 1)
        let bad = #"{"log": {"entries": [{\#(Self.request), "response": \#(deep)}]}}"#
        #expect(throws: CassetteError.self) { try Cassette(Data(bad.utf8)) }
    }

    @Test func bytesThatAreNoUTF8AreAnError() {
        var data = Data(#"{"log": {"entries": [{"a": ""#.utf8)
        data.append(contentsOf: [0xFF, 0x22, 0x7D, 0x5D, 0x7D, 0x7D])
        let error = #expect(throws: CassetteError.self) { try Cassette(data) }
        #expect(error?.message == "it is not UTF-8")
    }

    @Test func aChangedByteAnywhereIsAnErrorOrACassette() throws {
        let text = Data(
            #"{"log": {"entries": [{\#(Self.request), "response": {"status": 200, "content": {"text": "é"}, "_pieces": [[0, 2]]}}]}}"#
                .utf8)
        for index in text.indices {
            for byte in [0, 0x22, 0x2D, 0x39, 0x5C, 0x7B, 0xC3, 0xFF] as [UInt8] {
                var damaged = text
                damaged[index] = byte
                do {
                    let cassette = try Cassette(damaged)
                    for entry in cassette.entries {
                        _ = try? (entry.responseBody(), entry.responseFields, entry.requestFields)
                    }
                } catch {
                    #expect(error is CassetteError)
                }
            }
        }
    }

    @Test func piecesThatDoNotAddUpLoseNothing() async throws {
        for pieces in ["[[0, 1], [5, 1]]", "[[0, 100], [1, 100]]", "[]", "[[5, 2], [1, 1]]"] {
            let text =
                #"{"log": {"creator": {"name": "Strata"}, "entries": [{\#(Self.request), "response": {"status": 200, "content": {"text": "abcdef"}, "_pieces": \#(pieces)}}]}}"#
            let transport = CassetteTransport(try Cassette(Data(text.utf8)), time: .scaled(by: 1e-9))
            let response = try await transport.send(TransportRequest(url: "https://h/"))
            #expect(try await response.body.collect() == Data("abcdef".utf8), "\(pieces)")
        }
    }

    @Test func aLinkOutOfTheFolderIsNotFollowed() async throws {
        let (folder, other) = (try TemporaryFolder(), try TemporaryFolder())
        try Data("outside".utf8).write(to: other["x.bin"])
        try FileManager.default.createSymbolicLink(at: folder["link"], withDestinationURL: other.url)
        let text =
            #"{"log": {"entries": [{\#(Self.request), "response": {"status": 200, "content": {"_file": "link/x.bin"}}}]}}"#
        try Data(text.utf8).write(to: folder["a.har"])
        let transport = CassetteTransport(try Cassette(contentsOf: folder["a.har"]))
        let error = await #expect(throws: NetworkClientError.self) {
            try await transport.send(TransportRequest(url: "https://h/"))
        }
        #expect(error?.message.contains("leads out of the cassette's folder") == true)
    }

    @Test func aMissingFileSaysWhere() throws {
        let error = #expect(throws: CassetteError.self) {
            try Cassette(contentsOf: URL(fileURLWithPath: "/nowhere/a.har"))
        }
        #expect(error?.kind == .missing && error?.message.contains("/nowhere/a.har") == true)
    }
}
