// SPDX-License-Identifier: Apache-2.0
import StrataCore
enum ContentCoding {
    static let acceptable = "gzip"
    static let features: TransportCapabilities.Features = []
    static func decode(_ response: inout TransportResponse) {}
}
