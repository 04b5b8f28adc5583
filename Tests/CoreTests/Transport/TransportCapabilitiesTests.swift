// SPDX-License-Identifier: Apache-2.0

import StrataCore
import Testing

struct TransportCapabilitiesTests {
    @Test func namesItsFeatures() {
        let features: TransportCapabilities.Features = [.streamingResponse, .brotli, .concurrentUpload]
        let capabilities = TransportCapabilities(name: "libcurl/8.5.0", features: features)
        #expect("\(capabilities)" == "libcurl/8.5.0: streamingResponse, brotli, concurrentUpload")
    }
}
