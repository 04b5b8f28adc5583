// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import StrataCore
import StrataTesting
import TestSupport
import Testing

struct RedirectLocationTests {
    private func target(_ locations: [UInt8]...) async throws -> String? {
        var fields = HTTPFields()
        for location in locations { fields.append(HTTPField(name: .location, value: location)) }
        let transport = ScriptedTransport(.status(302, fields: fields), .status(200))
        _ = try await makeClient(transport).execute(TransportRequest(url: "https://a.example/1"))
        return transport.requests.dropFirst().first?.url
    }

    @Test func bytesThatAreNotUTF8StayWhatTheyAre() async throws {
        let latin1 = Array("/caf".utf8) + [0xe9] + Array("?q=".utf8) + [0xfc]
        #expect(try await target(latin1) == "https://a.example/caf%E9?q=%FC")
        #expect(try await target(Array("/café?q=ü".utf8)) == "https://a.example/caf%C3%A9?q=%C3%BC")
        #expect(try await target(Array("https://bücher.example/ü".utf8)) == "https://xn--bcher-kva.example/%C3%BC")
    }

    @Test func aHostThatIsNotUTF8IsRefused() async {
        await #expect {
            _ = try await target(Array("https://b".utf8) + [0xfc] + Array("cher.example/".utf8))
        } throws: {
            isFailure($0, .invalidRedirect)
        }
    }

    @Test func targetsThatDifferInSuchBytesAreSeveral() async {
        await #expect {
            _ = try await target([0x2f, 0xe9], [0x2f, 0xe8])
        } throws: {
            isFailure($0, .invalidRedirect)
        }
    }
}
