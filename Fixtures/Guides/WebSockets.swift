// SPDX-License-Identifier: Apache-2.0

// What `WebSockets.md` takes as given.
import StrataCore
import StrataEncoding
import StrataTesting

let model = "gpt-realtime"

struct Tick: Codable, Sendable {
    var price: Int
}

struct Subscribe: Codable, Sendable {
    var symbol: String
}
