// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataCore
import StrataEncoding
import StrataRest
import StrataTesting
import TestSupport
import Testing

struct RestFailureTests {
    @Test func aRefusalWhoseBodyFallsSilentHoldsNobodyUp() async throws {
        let clock = VirtualClock()
        let source = HangingSource("no") { clock.advance(by: .seconds(1)) }
        var network = NetworkConfiguration(
            baseURL: nil, transport: ScriptedTransport(.source(status: 500) { source }), clock: clock)
        network.options.timeouts.idle = nil
        let configuration = RestConfiguration(
            host: "api.example.com", client: NetworkClient(configuration: network))
        let property = Rest<Account, Account>(
            wrappedValue: Account(email: "", password: ""), path: "a", bearer: false, configuration: configuration)
        for result in [property.projectedValue.get(), property.projectedValue.post()] {
            await #expect(throws: RestQueryError.self) { try await result.value }
            #expect(result.underlyingError?.body == Data("no".utf8) || result.underlyingError?.body == Data())
        }
        #expect(source.isCancelled && clock.now == .seconds(2))
    }
}
