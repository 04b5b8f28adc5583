// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataAPI
import StrataTesting
import TestSupport
import Testing

/// The streams of language models, in their two dialects, read by the samples of the guide.
struct DialectTests {
    private let messages = [Guide.Message()]

    private func provider(_ transcript: String) -> Provider {
        Provider(baseURL: "https://api.example", transport: ScriptedTransport(.events(transcript)))
    }

    // MARK: Events without names

    private static let completions = """
        data: {"id":"c1","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}]}

        data: {"id":"c1","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":"Let me "},"finish_reason":null}]}

        data: {"id":"c1","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":"look."},"finish_reason":null}]}

        data: {"id":"c1","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"call_1","type":"function","function":{"name":"weather","arguments":""}}]},"finish_reason":null}]}

        data: {"id":"c1","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\\"city\\":"}}]},"finish_reason":null}]}

        data: {"id":"c1","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"\\"Rome\\"}"}}]},"finish_reason":null}]}

        data: {"id":"c1","object":"chat.completion.chunk","choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}

        data: {"id":"c1","object":"chat.completion.chunk","choices":[],"usage":{"total_tokens":30}}

        data: [DONE]


        """

    @Test func textOfEventsWithoutNamesIsAtAKeyPath() async throws {
        let stream = try await Guide.ChatAPI(provider(Self.completions)).stream(model: "m", messages: messages)
        #expect(try await stream.all().compactMap { $0 }.joined() == "Let me look.")
    }

    @Test func callsOfToolsComePieceByPiece() async throws {
        let chunks = try await Guide.ChatAPI(provider(Self.completions)).chunks(model: "m", messages: messages).all()
        let calls = chunks.flatMap { $0.choices.flatMap { $0.delta.tool_calls ?? [] } }
        #expect(calls.compactMap(\.id) == ["call_1"])
        #expect(calls.compactMap(\.function.name) == ["weather"])
        #expect(calls.compactMap(\.function.arguments).joined() == #"{"city":"Rome"}"#)
    }

    @Test func anErrorInTheMiddleIsNoChunk() async throws {
        let text = "data: {\"choices\":[]}\n\ndata: {\"error\":{\"message\":\"busy\"}}\n\ndata: [DONE]\n\n"
        let stream = try await Guide.ChatAPI(provider(text)).stream(model: "m", messages: messages)
        let error = await #expect(throws: NetworkClientError.self) { _ = try await stream.all() }
        #expect(error?.code == .errorEvent)
        #expect(error?.body == Data(#"{"error":{"message":"busy"}}"#.utf8))
    }

    // MARK: Events with names

    private static let start = """
        event: message_start
        data: {"type":"message_start","message":{"id":"m1","role":"assistant","content":[],"usage":{"input_tokens":12}}}

        event: content_block_start
        data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}

        event: ping
        data: {"type":"ping"}

        event: content_block_delta
        data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Let me look."}}

        event: content_block_stop
        data: {"type":"content_block_stop","index":0}


        """

    private static let end = """
        event: content_block_start
        data: {"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"t1","name":"weather","input":{}}}

        event: content_block_delta
        data: {"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"{\\"city\\":"}}

        event: content_block_delta
        data: {"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"\\"Rome\\"}"}}

        event: content_block_stop
        data: {"type":"content_block_stop","index":1}

        event: message_delta
        data: {"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":20}}

        event: message_stop
        data: {"type":"message_stop"}


        """

    @Test func aTableMakesElementsOfEventsByTheirNames() async throws {
        let stream = try await Guide.MessagesAPI(provider(Self.start + Self.end)).updates(
            model: "m", messages: messages)
        var (text, tools, input) = ("", [String](), "")
        for try await update in stream {
            switch update {
            case .text(let piece): text += piece
            case .tool(let name): tools.append(name)
            case .toolInput(let piece): input += piece
            }
        }
        #expect(text == "Let me look.")
        #expect(tools == ["weather"])
        #expect(input == #"{"city":"Rome"}"#)
    }

    @Test func namesChooseTheEventsOfAKeyPath() async throws {
        let stream = try await Guide.MessagesAPI(provider(Self.start + Self.end)).texts(model: "m", messages: messages)
        #expect(try await stream.all() == ["Let me look.", nil, nil])
    }

    @Test func anEventNamedErrorEndsBoth() async throws {
        let data = #"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#
        let api = Guide.MessagesAPI(provider(Self.start + "event: error\ndata: \(data)\n\n"))
        for stream in [try await api.texts(model: "m", messages: messages)] {
            let error = await #expect(throws: NetworkClientError.self) { _ = try await stream.all() }
            #expect(error?.code == .errorEvent)
            #expect(error?.body == Data(data.utf8))
        }
        let updates = try await api.updates(model: "m", messages: messages)
        let error = await #expect(throws: NetworkClientError.self) { for try await _ in updates {} }
        #expect(error?.code == .errorEvent)
    }

    @Test func aTableMayDemandTheEnd() async throws {
        let updates = try await Guide.MessagesAPI(provider(Self.start)).updates(model: "m", messages: messages)
        let error = await #expect(throws: NetworkClientError.self) { for try await _ in updates {} }
        #expect(error?.code == .connectionLost)
    }
}
