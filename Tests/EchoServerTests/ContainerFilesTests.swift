// SPDX-License-Identifier: Apache-2.0

import EchoServer
import Foundation
import TestSupport
import Testing

/// No container engine is needed: the files are parsed, and held against what the code expects.
struct ContainerFilesTests {
    let dockerfile: Dockerfile
    let compose: ComposeFile
    let manifest: String

    init() throws {
        dockerfile = Dockerfile(try PackageFolder.read("Dockerfile"))
        compose = try ComposeFile.read()
        manifest = try PackageFolder.read("Package.swift")
    }

    private var build: Dockerfile.Stage { get throws { try #require(dockerfile.stages.first) } }
    private var runtime: Dockerfile.Stage { get throws { try #require(dockerfile.stages.last) } }

    @Test func imagesAreOfTheManifestsToolsVersion() throws {
        let firstLine = try #require(manifest.split(separator: "\n").first)
        let version = try #require(firstLine.split(separator: ":").last).trimmingCharacters(in: .whitespaces)
        #expect(dockerfile.stages.count == 2)
        #expect(try build.image.hasPrefix("swift:\(version)-"))
        #expect(try runtime.image.hasPrefix("swift:\(version)-"))
        #expect(try runtime.image.hasSuffix("-slim"))
    }

    @Test func buildsAProductThatTheManifestHas() throws {
        let commands = try build.all("RUN").map(\.arguments).joined(separator: "\n")
        #expect(commands.contains("--product \(EchoSettings.commandName) "))
        #expect(manifest.contains("name: \"\(EchoSettings.commandName)\""))
        #expect(manifest.contains("path: \"Sources/EchoServer-CLI\""))
    }

    @Test func copiesTheFolderOfEveryTarget() throws {
        let copied = Set(try build.all("COPY").compactMap(\.words.first))
        #expect(copied.contains("Package.swift"))
        let folders = manifest.matches(of: /path: "([^"\/]+)/).map { String($0.output.1) }
        #expect(!folders.isEmpty)
        #expect(Set(folders).subtracting(copied) == [])
    }

    @Test func ignoreFileLetsPassExactlyWhatIsCopied() throws {
        let lines = try PackageFolder.read(".dockerignore").split(separator: "\n").filter { !$0.hasPrefix("#") }
        #expect(lines.first == "*")
        let passed = Set(lines.filter { $0.hasPrefix("!") }.map { String($0.dropFirst()) })
        #expect(passed == Set(try build.all("COPY").compactMap(\.words.first)))
        #expect(lines.contains("**/.build"))
    }

    @Test func runsTheFileThatWasCopiedFromTheBuild() throws {
        let copy = try #require(try runtime.all("COPY").first).words
        #expect(copy.first == "--from=\(try #require(try build.name))")
        #expect(try build.all("RUN").last?.arguments.hasSuffix(" " + copy[1]) == true)
        let entry = try #require(try runtime.all("ENTRYPOINT").first).arguments
        #expect(try JSONDecoder().decode([String].self, from: Data(entry.utf8)) == [copy[2]])
        #expect((copy[2] as NSString).lastPathComponent == EchoSettings.commandName)
    }

    @Test func runsAsAnOrdinaryUserThatExists() throws {
        let user = try #require(try runtime.all("USER").last).arguments
        #expect(user != "root" && user != "0")
        #expect(try runtime.all("RUN").contains { $0.arguments.contains("useradd") && $0.words.last == user })
    }

    @Test func listensOnAllAddressesAtTheDefaultPort() throws {
        let settings = try runtime.all("ENV").flatMap(\.words).map {
            $0.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        }
        let environment = Dictionary(settings.map { ($0[0], $0.last ?? "") }) { $1 }
        #expect(environment[EchoSettings.Environment.port] == String(EchoSettings.defaultPort))
        let configuration = try EchoServer.Configuration(environment: environment)
        #expect(configuration.host == "0.0.0.0")
        #expect(configuration.port == EchoSettings.defaultPort)
        #expect(try runtime.all("EXPOSE").map(\.arguments) == [String(EchoSettings.defaultPort)])
    }

    @Test func healthCheckAsksTheHealthPath() throws {
        let check = try #require(try runtime.all("HEALTHCHECK").first).arguments
        #expect(check.hasSuffix("://127.0.0.1:${\(EchoSettings.Environment.port)}\(EchoSettings.healthPath)\""))
        let tool = try #require(check.firstMatch(of: /; +(\w+) --fail/)?.output.1)
        #expect(try runtime.all("RUN").contains { $0.words.contains(String(tool)) }, "\(tool) is not installed")
    }

    @Test func healthCheckTakesAsSwitchedOnWhatTheServerDoes() throws {
        let check = try #require(try runtime.all("HEALTHCHECK").first).arguments
        let words = try #require(check.firstMatch(of: /grep -qixE '([^']+)'/)?.output.1).split(separator: "|")
        #expect(Set(words.map(String.init)) == EchoSettings.switchedOn)
        for (variable, then) in [
            (EchoSettings.Environment.http2, "--http2-prior-knowledge"), (EchoSettings.Environment.tls, "s"),
        ] { #expect(check.contains("$(on \"$\(variable)\" \(then))")) }
    }

    @Test(arguments: ["Dockerfile", "docker-compose.yml"])
    func everyVariableIsOneThatTheCodeReads(file: String) throws {
        let known: Set = [
            EchoSettings.Environment.host, EchoSettings.Environment.port, EchoSettings.Environment.tls,
            EchoSettings.Environment.http2, EchoSettings.Environment.certificateAuthorityFile,
            EchoSettings.Environment.logLevel, EchoSettings.TestEnvironment.echoURL,
            EchoSettings.TestEnvironment.httpbinURL, EchoSettings.TestEnvironment.nginxURL,
            EchoSettings.TestEnvironment.proxyURL, EchoSettings.TestEnvironment.tlsProxyURL,
            EchoSettings.TestEnvironment.socksURL, EchoSettings.TestEnvironment.peersFolder,
        ]
        let used = try PackageFolder.read(file).matches(of: /\b(ECHO|STRATA)_[A-Z0-9_]+/).map { String($0.output.0) }
        #expect(!used.isEmpty)
        #expect(Set(used).subtracting(known) == [])
    }

    @Test func composePublishesTheServersWhereTheTestsLook() throws {
        let echo = try #require(compose.services["echo"])
        let httpbin = try #require(compose.services["httpbin"])
        #expect(echo.build?.context == "." && echo.build?.inline == nil)
        #expect(try #require(echo.port).inside == EchoSettings.defaultPort)
        for (service, variable) in [
            (echo, EchoSettings.TestEnvironment.echoURL), (httpbin, EchoSettings.TestEnvironment.httpbinURL),
        ] {
            #expect(compose.tests[variable] == "http://127.0.0.1:\(try #require(service.port).published)")
        }
    }

    @Test func composeTellsHowToNameTheServers() throws {
        let told = try PackageFolder.read("docker-compose.yml").matches(of: /# +export (\w+)=(\S+)/)
            .map { (String($0.output.1), String($0.output.2)) }
        #expect(Dictionary(told) { $1 } == compose.tests)
    }

    @Test func composeBuildsTheHttpbinOfTheScript() throws {
        let service = try #require(compose.services["httpbin"])
        let image = Dockerfile(try #require(service.build?.inline))
        let stage = try #require(image.stages.first)
        let script = try PackageFolder.read("scripts/httpbin")
        let packages = try #require(script.firstMatch(of: /packages=\(([^)]*)\)/)?.output.1).split(separator: " ")
        #expect(packages.count == 2)
        let install = try #require(stage.all("RUN").first).words
        #expect(Set(packages.map(String.init)).isSubset(of: Set(install)))

        let inside = try #require(service.port).inside
        #expect(stage.all("EXPOSE").map(\.arguments) == [String(inside)])
        #expect(stage.all("CMD").first?.arguments.contains("0.0.0.0:\(inside)") == true)
        #expect(service.healthcheck?.test.last?.contains("127.0.0.1:\(inside)/") == true)
        #expect(stage.all("USER").first?.arguments != "root")
    }
}
