// SPDX-License-Identifier: Apache-2.0

import EchoServer
import Testing

struct EchoServerConfigurationTests {
    @Test(arguments: [
        [:], ["ECHO_HOST": "", "ECHO_PORT": "", "ECHO_TLS": "", "ECHO_HTTP2": "", "ECHO_LOG_LEVEL": ""],
    ])
    func takesTheDefaultsWithoutVariables(environment: [String: String]) throws {
        let configuration = try EchoServer.Configuration(environment: environment)
        #expect(configuration.host == EchoSettings.defaultHost)
        #expect(configuration.port == EchoSettings.defaultPort)
        #expect(configuration.tls == nil)
        #expect(!configuration.http2)
        #expect("\(configuration.logLevel)" == "critical")
    }

    @Test func takesWhatTheVariablesSay() throws {
        let configuration = try EchoServer.Configuration(environment: [
            "ECHO_HOST": "0.0.0.0", "ECHO_PORT": "0", "ECHO_TLS": "1", "ECHO_HTTP2": "Yes", "ECHO_LOG_LEVEL": "debug",
        ])
        #expect(configuration.host == "0.0.0.0")
        #expect(configuration.port == 0)
        #expect(configuration.tls != nil)
        #expect(configuration.http2)
        #expect("\(configuration.logLevel)" == "debug")
    }

    @Test(arguments: ["", "0", "no", "false"]) func leavesOffWhatIsNotSwitchedOn(_ value: String) throws {
        let configuration = try EchoServer.Configuration(environment: ["ECHO_TLS": value, "ECHO_HTTP2": value])
        #expect(configuration.tls == nil)
        #expect(!configuration.http2)
    }

    @Test(arguments: ["http", "70000", "65536", "-1"]) func refusesWhatIsNoPort(_ value: String) {
        let error = #expect(throws: EchoServer.InvalidVariable.self) {
            try EchoServer.Configuration(environment: ["ECHO_PORT": value])
        }
        #expect(error?.description == "ECHO_PORT is not a number in 0...65535: \(value)")
    }

    @Test func takesTheHighestPort() throws {
        #expect(try EchoServer.Configuration(environment: ["ECHO_PORT": "65535"]).port == 65_535)
    }
}
