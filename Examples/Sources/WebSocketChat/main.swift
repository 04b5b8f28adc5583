// SPDX-License-Identifier: Apache-2.0

// Says something in a room, and prints what is said there: each argument behind the name is a message.
//
//     swift run WebSocketChat https://chat.example/rooms/1 ada 'Hello!' 'Is anybody here?'

import Foundation
import StrataCore
import StrataEncoding
import StrataNative
import StrataWebSocket

struct Message: Codable, Sendable { var from: String; var text: String }

let arguments = CommandLine.arguments.dropFirst()
guard arguments.count > 2, let room = arguments.first, let name = arguments.dropFirst().first else {
    print("usage: WebSocketChat ROOM NAME MESSAGE …")
    exit(64)
}
let texts = Array(arguments.dropFirst(2))
let client = NetworkClient(configuration: NetworkConfiguration(transport: NativeTransport()))
do {
    let socket = try await client.webSocket(RequestPath(raw: room))
    // Sending and receiving go on side by side.
    async let sent: Void = {
        for text in texts { try await socket.send(json: Message(from: name, text: text)) }
    }()
    var count = 0
    while count < texts.count, let message = try await socket.receive(as: Message.self) {
        print("\(message.from): \(message.text)")
        if message.from == name { count += 1 }
    }
    try await sent
    try await socket.close()
    print("closed: \(socket.closure?.code.rawValue ?? 0)")
} catch {
    print(error)
    exit(1)
}
