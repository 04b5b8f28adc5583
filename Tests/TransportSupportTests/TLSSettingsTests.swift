// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataTransportSupport
import Testing

struct TLSSettingsTests {
    @Test func showsNoSecrets() {
        var settings = TLSSettings()
        settings.clientKeyPassword = "swordfish"
        settings.clientIdentity = Data("opensesame".utf8)
        settings.clientCertificate = "client.pem"
        var dumped = "\(settings) \(String(reflecting: settings))"
        dump(settings, to: &dumped)
        #expect(dumped.contains("client.pem"))
        for secret in ["swordfish", "opensesame"] { #expect(!dumped.contains(secret)) }
    }
}
