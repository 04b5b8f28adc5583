// SPDX-License-Identifier: Apache-2.0

// What `Transports.md` takes as given.
import StrataCore

struct MyTransport: NetworkTransport {
    let capabilities = TransportCapabilities(name: "mine", features: [])

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        TransportResponse(head: HTTPResponse(status: .ok))
    }
}
