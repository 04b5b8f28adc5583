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
    struct Transcript: Decodable {
        var file: String
        var events: Int
        var types: [String: Int]?
        var json_events: Int?
        var ends_with_done: Bool?
        var text_choice0_length: Int?
        var text_choice0_sha256: String?
        var input_sha256: String?
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
        try Vectors.cases("fixtures/index.json", "sse", of: Transcript.self).map {
            ($0, try Vectors.data("fixtures/\($0.file)"))
        }
    }

    @Test(.vectors("fixtures/index.json"), arguments: [Rechunking.whole, .oneByte, .every(1_400), .random(seed: 3)])
    func haveTheEventsThatWereCounted(_ rechunking: Rechunking) throws {
        for (transcript, bytes) in try load() {
            if let digest = transcript.input_sha256 {
                #expect(SHA256.hexDigest(of: bytes) == digest, "\(transcript.file)")
            }
            var events: [ServerSentEvent] = []
            var parser = ServerSentEventParser()
            for piece in bytes.rechunked(rechunking)[0] { try parser.feed(piece) { events.append($0) } }
            #expect(events.count == transcript.events, "\(transcript.file)")
            if let types = transcript.types {
                #expect(Dictionary(grouping: events, by: \.type).mapValues(\.count) == types, "\(transcript.file)")
            }
            if let isDone = transcript.ends_with_done {
                #expect((events.last?.data == "[DONE]") == isDone, "\(transcript.file)")
            }
        }
    }

    @Test(.vectors("fixtures/index.json"))
    func giveTheTextThatTheModelWrote() async throws {
        for (transcript, bytes) in try load() {
            let isDone = transcript.ends_with_done == true
            // Else there are events of another kind among them.
            guard let length = transcript.text_choice0_length, let digest = transcript.text_choice0_sha256,
                transcript.json_events == transcript.events - (isDone ? 1 : 0)
            else { continue }
            let reply = ScriptedReply.pieces(
                bytes.rechunked(.random(seed: 5))[0], fields: [.contentType: "text/event-stream; charset=utf-8"])
            let client = NetworkClient(ScriptedTransport(reply))
            let request = NetworkRequest<[String: Bool], VoidResponse>(
                path: "chat/completions", method: .post, body: ["stream": true])
            var count = 0
            var text = ""
            for try await chunk in try await client.events(
                for: request, decoding: Chunk.self, until: .data("[DONE]", isRequired: isDone))
            {
                count += 1
                for choice in chunk.choices ?? [] where choice.index == 0 { text += choice.delta?.content ?? "" }
            }
            #expect(count == transcript.json_events, "\(transcript.file)")
            #expect(text.unicodeScalars.count == length, "\(transcript.file)")
            #expect(SHA256.hexDigest(of: Data(text.utf8)) == digest, "\(transcript.file)")
        }
    }
}
