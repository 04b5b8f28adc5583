// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataCore
import StrataEncoding
import StrataStreaming
import StrataTesting
import TestSupport
import Testing

/// Streams that the APIs of language models have really sent.
struct TranscriptTests {
    private struct Index: Decodable {
        var sse: [Transcript]
    }

    struct Transcript: Decodable {
        var file: String
        var bytes: Int
        var events: Int
        var types: [String: Int]
        var json_events: Int
        var ends_with_done: Bool
        var text_choice0_length: Int
        var text_choice0_sha256: String
        var input_sha256: String
    }

    /// What the events of all the transcripts have in common.
    struct Chunk: Decodable {
        struct Choice: Decodable {
            struct Delta: Decodable { var content: String? }
            var index: Int
            var delta: Delta?
        }
        var choices: [Choice]?
    }

    private func load() throws -> [(Transcript, Data)] {
        try Vectors.load("fixtures/index.json", as: Index.self).sse.map {
            ($0, try Vectors.data("fixtures/\($0.file)"))
        }
    }

    @Test(.vectors("fixtures/index.json"), arguments: [Rechunking.whole, .oneByte, .every(1_400), .random(seed: 3)])
    func haveTheEventsThatWereCounted(_ rechunking: Rechunking) throws {
        let transcripts = try load()
        #expect(!transcripts.isEmpty)
        for (transcript, bytes) in transcripts {
            #expect(SHA256.hexDigest(of: bytes) == transcript.input_sha256, "\(transcript.file)")
            var events: [ServerSentEvent] = []
            var parser = ServerSentEventParser()
            for piece in bytes.rechunked(rechunking)[0] { try parser.feed(piece) { events.append($0) } }
            #expect(events.count == transcript.events, "\(transcript.file)")
            #expect(
                Dictionary(grouping: events, by: \.type).mapValues(\.count) == transcript.types, "\(transcript.file)")
            #expect((events.last?.data == "[DONE]") == transcript.ends_with_done, "\(transcript.file)")
        }
    }

    @Test(.vectors("fixtures/index.json"))
    func giveTheTextThatTheModelWrote() async throws {
        for (transcript, bytes) in try load() {
            let reply = ScriptedReply.pieces(
                bytes.rechunked(.random(seed: 5))[0], fields: [.contentType: "text/event-stream; charset=utf-8"])
            let client = NetworkClient(ScriptedTransport(reply))
            let request = NetworkRequest<[String: Bool], VoidResponse>(
                path: "chat/completions", method: .post, body: ["stream": true])
            var count = 0
            var text = ""
            for try await chunk in try await client.events(
                for: request, decoding: Chunk.self, until: .data("[DONE]", isRequired: transcript.ends_with_done))
            {
                count += 1
                for choice in chunk.choices ?? [] where choice.index == 0 { text += choice.delta?.content ?? "" }
            }
            #expect(count == transcript.json_events, "\(transcript.file)")
            #expect(text.unicodeScalars.count == transcript.text_choice0_length, "\(transcript.file)")
            #expect(SHA256.hexDigest(of: Data(text.utf8)) == transcript.text_choice0_sha256, "\(transcript.file)")
        }
    }
}
