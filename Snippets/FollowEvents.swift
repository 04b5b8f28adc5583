// SPDX-License-Identifier: Apache-2.0

// Events while they arrive (Server-Sent Events); leaving the loop ends the transfer.
//
//     swift run FollowEvents https://stream.wikimedia.org/v2/stream/recentchange

import Foundation
import Strata

struct Change: Decodable, Sendable { var title: String?; var user: String? }

let address = CommandLine.arguments.dropFirst().first ?? "https://stream.wikimedia.org/v2/stream/recentchange"
let request = NetworkRequest<VoidRequest, VoidResponse>(path: RequestPath(raw: address), method: .get)
var count = 0
for try await change in try await NetworkClient().events(for: request, decoding: Change.self) {
    print(change.title ?? "", "by", change.user ?? "")
    // Standard output may wait for a whole buffer where it is no terminal.
    fflush(nil)
    count += 1
    if count == 10 { break }
}
