// SPDX-License-Identifier: Apache-2.0

import StrataCore
import StrataTransportSupport
import Testing

struct AddressOverrideTests {
    @Test(arguments: [
        AddressOverride(host: "a.example", port: 443, addresses: []),
        .init(host: "a.example", port: 443, addresses: ["b.example"]),
        .init(host: "a.example", port: 443, addresses: ["1.2.3"]),
        .init(host: "a.example", port: 443, addresses: ["+1.2.3.4"]),
        .init(host: "a.example", port: 443, addresses: ["1.2.3.04"]),
        .init(host: "a.example", port: 443, addresses: ["[::1]"]),
        .init(host: "a.example", port: 443, addresses: ["::x"]),
        .init(host: "a.example", port: 0, addresses: ["127.0.0.1"]),
        .init(host: "", port: 443, addresses: ["127.0.0.1"]),
        .init(host: "a.example:443", port: 443, addresses: ["127.0.0.1"]),
        .init(host: "::1", port: 443, addresses: ["127.0.0.1"]),
        .init(host: "[::1]", port: 443, addresses: ["127.0.0.1"]),
        .init(host: "a.example/", port: 443, addresses: ["127.0.0.1"]),
        .init(host: "@a.example", port: 443, addresses: ["127.0.0.1"]),
    ])
    func isRefusedWhenItLeadsNowhere(_ override: AddressOverride) {
        #expect { try override.checked() } throws: { ($0 as? NetworkClientError)?.code == .malformedURL }
    }

    @Test(arguments: [("Bücher.Example", "xn--bcher-kva.example"), ("127.1", "127.0.0.1"), ("*", "*")])
    func hasItsHostAsRequestsHaveIt(_ host: String, _ canonical: String) throws {
        let override = try AddressOverride(host: host, port: 80, addresses: ["127.0.0.1", "::1"]).checked()
        #expect(override == AddressOverride(host: canonical, port: 80, addresses: ["127.0.0.1", "::1"]))
    }
}
