// SPDX-License-Identifier: Apache-2.0

import EchoServer
import Foundation
import TestSupport
import Testing

/// The servers that others wrote: the containers start them as the tests do by themselves, where the tests look.
struct PeerContainersTests {
    typealias Variable = EchoSettings.TestEnvironment

    let compose: ComposeFile
    /// Each with the variable that has its URL, and how many ports it has.
    static let peers = [
        ("nginx", Variable.nginxURL), ("tinyproxy", Variable.proxyURL), ("squid", Variable.tlsProxyURL),
        ("microsocks", Variable.socksURL),
    ]
    private static let files = "IntegrationTests/Peers/Servers"

    init() throws { compose = try ComposeFile.read() }

    private func configuration(_ name: String) throws -> String {
        try PackageFolder.read("\(Self.files)/\(name).conf")
    }

    /// Where a server listens with its configuration as it is.
    private func ports(_ name: String) throws -> [Int] {
        try configuration(name).matches(of: /(?m)^(?!#).*(?:Port |127\.0\.0\.1:| -p )(\d+)/).compactMap {
            Int($0.output.1)
        }
    }

    @Test(arguments: peers) func listensWhereTheTestsLook(_ name: String, _ variable: String) throws {
        let ports = try ports(name)
        let url = try #require(compose.tests[variable].flatMap { URL(string: $0) })
        #expect(url.host == "127.0.0.1")
        #expect(url.port == ports.first)
        // The tests know the first, and count on.
        #expect(ports == Array(ports[0]..<ports[0] + ports.count))
        #expect(try configuration(name).contains("# The first port: \(ports[0])\n"))

        let service = try #require(compose.services[name])
        #expect(service.network == "host" && service.ports == nil)
        let check = try #require(service.healthcheck?.test.last?.firstMatch(of: /127\.0\.0\.1\/(\d+)$/)?.output.1)
        #expect(ports.contains(try #require(Int(check))))
    }

    @Test func everyPortIsOneServersAlone() throws {
        let all = try Self.peers.flatMap { try ports($0.0) } + compose.services.values.compactMap { $0.port?.published }
        #expect(all.count == 17)
        #expect(Set(all).count == all.count)
    }

    @Test func nginxHasAPortForEverySiteInBothFamilies() throws {
        let source = try PackageFolder.read("IntegrationTests/Peers/Nginx.swift")
        let sites = source.matches(of: /(?m)^ +case (.+)$/).flatMap { $0.output.1.split(separator: ",") }
        let ports = try ports("nginx")
        #expect(ports.count == sites.count)
        let text = try configuration("nginx")
        for port in ports { #expect(text.contains("listen [::1]:\(port)")) }
        // All but the first speak TLS and HTTP/2.
        for port in ports.dropFirst() { #expect(text.contains("listen 127.0.0.1:\(port) ssl http2;")) }
    }

    @Test(arguments: peers.map(\.0)) func startsAsTheTestsDo(_ name: String) throws {
        let service = try #require(compose.services[name])
        let command = try #require(service.command).joined(separator: " ")
        #expect(command.hasSuffix("/servers/serve \(name) /peers/\(name) /peers/certificates"))
        let folder = try #require(compose.tests[Variable.peersFolder])
        #expect(service.volumes == ["./\(folder):/peers"])
        #expect(try PackageFolder.read(".gitignore").split(separator: "\n").contains("\(folder)/"))
        #expect(try PackageFolder.read("\(Self.files)/serve").contains("exec \(name) "))
        // The one that the others wait for makes the certificates.
        if name == "nginx" {
            #expect(command.contains("/servers/certificates /peers/certificates && "))
        } else {
            #expect(service.dependencies?.mapValues(\.condition) == ["nginx": "service_healthy"])
        }
    }

    @Test func areOfTheImageWithThePackagesThatTheScriptInstalls() throws {
        let script = try PackageFolder.read("scripts/test-peers")
        let list = try #require(script.firstMatch(of: /peers=\(([^)]*)\)/)?.output.1).split(separator: " ")
        let packages = list.compactMap { $0.split(separator: ":").last.map(String.init) }
        #expect(packages.count == 5)
        let build = try #require(compose.services["nginx"]?.build)
        #expect(build.context == ".")
        let stages = Dockerfile(try #require(build.inline)).stages
        let stage = try #require(stages.first)
        #expect(stages.count == 1 && stage.image == "debian:bookworm-slim")
        let install = try #require(stage.all("RUN").first?.arguments.firstMatch(of: /install ([^&]*)&&/)?.output.1)
        let words = install.split(separator: " ").map(String.init).filter { !$0.hasPrefix("-") }
        #expect(words == packages)
        #expect(stage.all("COPY").map(\.words) == [[Self.files, "/servers"]])
    }

    /// Several that build it at once under one name get in each other's way.
    @Test func areOfOneImageThatIsBuiltOnce() throws {
        for (name, _) in Self.peers {
            let service = try #require(compose.services[name])
            #expect(service.image == "strata-peers")
            #expect((service.build != nil) == (name == "nginx"))
            // It is nowhere to be pulled from.
            #expect(service.pull == (name == "nginx" ? nil : "never"))
        }
    }

    @Test func allProxiesTakeTheCredentialsOfTheTests() throws {
        let source = try PackageFolder.read("IntegrationTests/Peers/ProxyPeers.swift")
        let user = try #require(source.firstMatch(of: /let user = "([^"]+)"/)?.output.1)
        let password = try #require(source.firstMatch(of: /let password = "([^"]+)"/)?.output.1)
        #expect(try configuration("tinyproxy").contains("\nBasicAuth \(user) \(password)\n"))
        #expect(try configuration("microsocks").contains(" -u \(user) -P \(password)\n"))
        // Of the password there is a hash alone.
        #expect(try PackageFolder.read("\(Self.files)/squid.users").hasPrefix("\(user):$"))
    }
}
