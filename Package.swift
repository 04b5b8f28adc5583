// swift-tools-version: 6.2
import CompilerPluginSupport
import PackageDescription

let httpTypes: Target.Dependency = .product(name: "HTTPTypes", package: "swift-http-types")
let log: Target.Dependency = .product(name: "Logging", package: "swift-log")
let metrics: Target.Dependency = .product(name: "CoreMetrics", package: "swift-metrics")
let tracing: Target.Dependency = .product(name: "Tracing", package: "swift-distributed-tracing")
let crypto: Target.Dependency = .product(name: "Crypto", package: "swift-crypto")
/// Combine where the platform has it, OpenCombine where not.
let openCombine: [Target.Dependency] = ["OpenCombine", "OpenCombineDispatch"].map {
    .product(name: $0, package: "OpenCombine", condition: .when(platforms: [.linux, .android, .windows]))
}
/// The transport that suits the platform.
let platformTransport: [Target.Dependency] = [
    .target(name: "StrataNative", condition: .when(platforms: [.linux])),
    .target(name: "StrataURLSession", condition: .when(platforms: [.macOS, .iOS, .tvOS, .watchOS, .visionOS])),
]

let package = Package(
    name: "Strata",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: [
        .library(name: "Strata", targets: ["Strata"]),
        .library(name: "StrataCore", targets: ["StrataCore"]),
        .library(name: "StrataCurl", targets: ["StrataCurl"]),
        .library(name: "StrataTransportSupport", targets: ["StrataTransportSupport"]),
        .library(name: "StrataNative", targets: ["StrataNative"]),
        .library(name: "StrataURLSession", targets: ["StrataURLSession"]),
        .library(name: "StrataEncoding", targets: ["StrataEncoding"]),
        .library(name: "StrataStreaming", targets: ["StrataStreaming"]),
        .library(name: "StrataMiddleware", targets: ["StrataMiddleware"]),
        .library(name: "StrataCompression", targets: ["StrataCompression"]),
        .library(name: "StrataWebSocket", targets: ["StrataWebSocket"]),
        .library(name: "StrataObservability", targets: ["StrataObservability"]),
        .library(name: "StrataAuthentication", targets: ["StrataAuthentication"]),
        .library(name: "StrataPublicSuffixes", targets: ["StrataPublicSuffixes"]),
        .library(name: "StrataCache", targets: ["StrataCache"]),
        .library(name: "StrataDiskCache", targets: ["StrataDiskCache"]),
        .library(name: "StrataAPI", targets: ["StrataAPI"]),
        .library(name: "StrataRequests", targets: ["StrataRequests"]),
        .library(name: "StrataRest", targets: ["StrataRest"]),
        .library(name: "StrataPublishers", targets: ["StrataPublishers"]),
        .library(name: "StrataPlatform", targets: ["StrataPlatform"]),
        .library(name: "StrataTesting", targets: ["StrataTesting"]),
        .library(name: "StrataTestingTraits", targets: ["StrataTestingTraits"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-http-types", from: "1.4.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.7.0"),
        .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.2"),
        .package(url: "https://github.com/apple/swift-crypto", "3.12.0"..<"5.0.0"),
        .package(url: "https://github.com/swiftlang/swift-syntax", "602.0.0"..<"604.0.0"),
        .package(url: "https://github.com/OpenCombine/OpenCombine", from: "0.14.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.20.0"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.81.0"),
        .package(url: "https://github.com/apple/swift-nio-extras", from: "1.24.0"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.29.0"),
        .package(url: "https://github.com/apple/swift-certificates", from: "1.10.0"),
        .package(url: "https://github.com/apple/swift-asn1", from: "1.3.0"),
        .package(url: "https://github.com/jpsim/Yams", from: "6.0.0"),
    ],
    targets: [
        .target(name: "StrataCore", dependencies: [httpTypes], path: "Sources/Core"),
        .systemLibrary(
            name: "CStrataCurl", path: "Sources/Transport-Curl-C", pkgConfig: "libcurl",
            providers: [.apt(["libcurl4-openssl-dev"]), .brew(["curl"])]),
        .target(name: "CStrataSupport", path: "Sources/Transport-Curl-Support"),
        .systemLibrary(
            name: "CStrataZlib", path: "Sources/Transport-Support-C", providers: [.apt(["zlib1g-dev"])]),
        .target(
            name: "StrataTransportSupport", dependencies: ["StrataCore", "CStrataZlib", httpTypes],
            path: "Sources/Transport-Support"),
        .target(
            name: "StrataCurl",
            dependencies: ["StrataCore", "StrataTransportSupport", "CStrataCurl", "CStrataSupport", httpTypes],
            path: "Sources/Transport-Curl"),
        .systemLibrary(
            name: "CStrataOpenSSL", path: "Sources/Transport-Native-C", pkgConfig: "openssl",
            providers: [.apt(["libssl-dev"]), .brew(["openssl@3"])]),
        .systemLibrary(name: "CStrataEvents", path: "Sources/Transport-Native-Events"),
        .systemLibrary(
            name: "CStrataNGHTTP2", path: "Sources/Transport-Native-HTTP2", pkgConfig: "libnghttp2",
            providers: [.apt(["libnghttp2-dev"]), .brew(["libnghttp2"])]),
        .target(
            name: "StrataNative",
            dependencies: [
                "StrataCore", "StrataTransportSupport", "CStrataOpenSSL", "CStrataEvents", "CStrataNGHTTP2", httpTypes,
            ],
            path: "Sources/Transport-Native"),
        .target(
            name: "StrataURLSession", dependencies: ["StrataCore", "CStrataSupport", httpTypes],
            path: "Sources/Transport-URLSession"),
        .target(name: "StrataEncoding", dependencies: ["StrataCore", httpTypes], path: "Sources/Encoding"),
        .target(name: "StrataStreaming", dependencies: ["StrataCore", httpTypes], path: "Sources/Streaming"),
        .target(name: "StrataPublicSuffixes", dependencies: ["StrataCore"], path: "Sources/PublicSuffixes"),
        .target(
            name: "StrataMiddleware", dependencies: ["StrataCore", "StrataPublicSuffixes", httpTypes, log],
            path: "Sources/Middleware"),
        .target(
            name: "StrataCompression", dependencies: ["StrataCore", "CStrataZlib", httpTypes],
            path: "Sources/Compression"),
        .target(
            name: "StrataWebSocket", dependencies: ["StrataCore", "StrataStreaming", "CStrataZlib", httpTypes],
            path: "Sources/WebSocket"),
        .target(
            name: "StrataObservability",
            dependencies: ["StrataCore", "StrataMiddleware", httpTypes, metrics, tracing],
            path: "Sources/Observability"),
        .target(
            name: "StrataAuthentication", dependencies: ["StrataCore", "StrataMiddleware", httpTypes, crypto],
            path: "Sources/Authentication"),
        .target(name: "StrataCache", dependencies: ["StrataCore", httpTypes, crypto], path: "Sources/Cache"),
        .systemLibrary(
            name: "CStrataSQLite", path: "Sources/Cache-Disk-C", pkgConfig: "sqlite3",
            providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]),
        .target(
            name: "StrataDiskCache",
            dependencies: ["StrataCore", "StrataCache", "CStrataSQLite", httpTypes, log, crypto],
            path: "Sources/Cache-Disk"),
        .target(
            name: "StrataAPIExpansion",
            dependencies: [
                .product(name: "SwiftSyntax", package: "swift-syntax"),
                .product(name: "SwiftSyntaxBuilder", package: "swift-syntax"),
                .product(name: "SwiftSyntaxMacros", package: "swift-syntax"),
                .product(name: "SwiftParser", package: "swift-syntax"),
                .product(name: "SwiftDiagnostics", package: "swift-syntax"),
            ],
            path: "Sources/API-Macros"),
        .macro(
            name: "StrataAPIMacros",
            dependencies: [
                "StrataAPIExpansion",
                .product(name: "SwiftSyntaxMacros", package: "swift-syntax"),
                .product(name: "SwiftCompilerPlugin", package: "swift-syntax"),
            ],
            path: "Sources/API-Macros-Plugin"),
        .target(
            name: "StrataAPI",
            dependencies: [
                "StrataAPIMacros", "StrataCore", "StrataEncoding", "StrataStreaming", "StrataPlatform", httpTypes, log,
            ],
            path: "Sources/API"),
        .target(
            name: "StrataPublishers", dependencies: ["StrataCore", "StrataStreaming"] + openCombine,
            path: "Sources/Publishers"),
        .target(
            name: "StrataRequests",
            dependencies: [
                "StrataCore", "StrataEncoding", "StrataStreaming", "StrataURLSession", "StrataPublishers",
                "StrataPlatform", httpTypes,
            ],
            path: "Sources/Requests"),
        .target(
            name: "StrataRest",
            dependencies: ["StrataCore", "StrataEncoding", "StrataPlatform", "StrataPublishers", httpTypes],
            path: "Sources/Rest"),
        .target(
            name: "StrataTesting", dependencies: ["StrataCore", "StrataEncoding", "StrataWebSocket", httpTypes],
            path: "Sources/Testing"),
        .target(name: "StrataTestingTraits", dependencies: ["StrataTesting"], path: "Sources/Testing-Traits"),
        .target(
            name: "StrataPlatform",
            dependencies: ["StrataCore"] + platformTransport,
            path: "Sources/Platform"),
        .target(
            name: "Strata",
            dependencies: [
                "StrataCore", "StrataEncoding", "StrataStreaming", "StrataMiddleware", "StrataPlatform", httpTypes,
            ] + platformTransport,
            path: "Sources/Umbrella"),
        .target(
            name: "EchoServer",
            dependencies: [
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdCore", package: "hummingbird"),
                .product(name: "HummingbirdTLS", package: "hummingbird"),
                .product(name: "HummingbirdHTTP2", package: "hummingbird"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOEmbedded", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOWebSocket", package: "swift-nio"),
                .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
                .product(name: "NIOHTTPTypesHTTP1", package: "swift-nio-extras"),
                .product(name: "NIOHTTPCompression", package: "swift-nio-extras"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "X509", package: "swift-certificates"),
                .product(name: "SwiftASN1", package: "swift-asn1"),
                httpTypes, crypto, log,
            ],
            path: "Sources/EchoServer"),
        .executableTarget(
            name: "echo-server",
            dependencies: ["EchoServer", log, .product(name: "ArgumentParser", package: "swift-argument-parser")],
            path: "Sources/EchoServer-CLI"),
        .executableTarget(
            name: "Demo",
            dependencies: [
                "Strata", "StrataAPI", "StrataRequests", "StrataRest", "StrataCurl", "StrataNative", "StrataURLSession",
                "EchoServer",
            ],
            path: "Sources/Demo"),
        .executableTarget(
            name: "WireDriver",
            dependencies: [
                "StrataCore", "StrataEncoding", "StrataStreaming", "StrataMiddleware", "StrataAuthentication",
                "StrataCache", "StrataCurl", "StrataNative", "StrataURLSession", "StrataTesting", httpTypes,
            ],
            path: "IntegrationTests/WireDriver"),
        .executableTarget(
            name: "AutobahnClient", dependencies: ["StrataCore", "StrataEncoding", "StrataNative", "StrataWebSocket"],
            path: "IntegrationTests/AutobahnClient"),
        .executableTarget(
            name: "ChildProcess",
            dependencies: [
                "StrataDiskCache", "StrataCache", "StrataEncoding", "StrataMiddleware", "StrataAuthentication",
                "StrataCurl", "StrataTesting", httpTypes,
            ],
            path: "IntegrationTests/ChildProcess"),
        .executableTarget(
            name: "Stress",
            dependencies: [
                "StrataCurl", "StrataNative", "StrataURLSession", "StrataTesting", "StrataWebSocket", "StrataEncoding",
            ],
            path: "IntegrationTests/Stress"),
        .target(name: "TestSupport", dependencies: ["StrataCore"], path: "Tests/Support"),
        .target(
            name: "SeedSupport", dependencies: ["StrataCore", "StrataEncoding", "StrataTesting"],
            path: "Tests/SeedSupport"),
        .testTarget(
            name: "CoreTests",
            dependencies: ["TestSupport", "SeedSupport", "StrataCore", "StrataEncoding", "StrataTesting"],
            path: "Tests/CoreTests"),
        .testTarget(
            name: "EncodingTests", dependencies: ["TestSupport", "StrataEncoding", "StrataTesting"],
            path: "Tests/EncodingTests"),
        .testTarget(
            name: "StreamingTests",
            dependencies: ["TestSupport", "StrataStreaming", "StrataEncoding", "StrataTesting"],
            path: "Tests/StreamingTests"),
        .target(
            name: "MiddlewareSupport",
            dependencies: ["TestSupport", "StrataCore", "StrataEncoding", "StrataTesting", httpTypes, log],
            path: "Tests/MiddlewareSupport"),
        .testTarget(
            name: "MiddlewareTests",
            dependencies: [
                "TestSupport", "MiddlewareSupport", "StrataMiddleware", "StrataPublicSuffixes", "StrataEncoding",
                "StrataTesting",
            ],
            path: "Tests/MiddlewareTests"),
        .testTarget(
            name: "CompressionTests",
            dependencies: [
                "TestSupport", "MiddlewareSupport", "StrataCompression", "StrataMiddleware", "StrataTransportSupport",
                "StrataEncoding", "StrataTesting", httpTypes,
            ],
            path: "Tests/CompressionTests"),
        .testTarget(
            name: "WebSocketTests",
            dependencies: [
                "TestSupport", "StrataWebSocket", "CStrataZlib", "StrataMiddleware", "StrataStreaming",
                "StrataEncoding",
                "StrataTesting", httpTypes,
            ],
            path: "Tests/WebSocketTests"),
        .testTarget(
            name: "ObservabilityTests",
            dependencies: [
                "TestSupport", "MiddlewareSupport", "StrataObservability", "StrataMiddleware", "StrataEncoding",
                "StrataTesting", httpTypes, tracing, metrics,
                .product(name: "InMemoryTracing", package: "swift-distributed-tracing"),
                .product(name: "MetricsTestKit", package: "swift-metrics"),
            ],
            path: "Tests/ObservabilityTests"),
        .testTarget(
            name: "AuthenticationTests",
            dependencies: [
                "TestSupport", "MiddlewareSupport", "StrataAuthentication", "StrataMiddleware", "StrataTesting",
            ],
            path: "Tests/AuthenticationTests"),
        .testTarget(
            name: "PublicSuffixesTests", dependencies: ["StrataCore", "StrataPublicSuffixes"],
            path: "Tests/PublicSuffixesTests"),
        .testTarget(
            name: "CacheTests",
            dependencies: ["TestSupport", "StrataCache", "StrataMiddleware", "StrataEncoding", "StrataTesting"],
            path: "Tests/CacheTests"),
        .testTarget(
            name: "DiskCacheTests",
            dependencies: [
                "TestSupport", "StrataDiskCache", "StrataCache", "StrataMiddleware", "StrataEncoding", "StrataTesting",
                log,
            ],
            path: "Tests/DiskCacheTests"),
        .testTarget(
            name: "TransportSupportTests",
            dependencies: ["TestSupport", "StrataTransportSupport", "StrataTesting", "CStrataZlib", httpTypes],
            path: "Tests/TransportSupportTests"),
        .testTarget(
            name: "NativeTests",
            dependencies: [
                "TestSupport", "StrataNative", "StrataTesting", "StrataEncoding", "CStrataOpenSSL", "CStrataNGHTTP2",
                httpTypes,
            ],
            path: "Tests/NativeTests"),
        .testTarget(
            name: "CurlTests",
            dependencies: ["TestSupport", "StrataCurl", "StrataTesting", "CStrataCurl", "CStrataSupport"],
            path: "Tests/CurlTests"),
        .testTarget(
            name: "URLSessionTests",
            dependencies: ["TestSupport", "StrataURLSession", "StrataEncoding", "StrataTesting"],
            path: "Tests/URLSessionTests"),
        .testTarget(
            name: "APIMacrosTests",
            dependencies: [
                "TestSupport",
                "StrataAPIExpansion",
                .product(name: "SwiftSyntaxMacrosGenericTestSupport", package: "swift-syntax"),
                .product(name: "SwiftSyntaxMacroExpansion", package: "swift-syntax"),
            ],
            path: "Tests/APIMacrosTests"),
        .target(name: "APIExamples", dependencies: ["SeedSupport", "StrataAPI"], path: "Tests/APIExamples"),
        .testTarget(
            name: "APITests",
            dependencies: [
                "TestSupport", "APIExamples", "StrataAPI", "StrataMiddleware", "StrataObservability",
                "StrataPublishers", "StrataTesting", "StrataWebSocket", metrics, tracing,
                .product(name: "InMemoryTracing", package: "swift-distributed-tracing"),
                .product(name: "MetricsTestKit", package: "swift-metrics"),
            ], path: "Tests/APITests"),
        .target(
            name: "RequestsExamples", dependencies: ["SeedSupport", "StrataRequests"], path: "Tests/RequestsExamples"),
        .testTarget(
            name: "RequestsTests",
            dependencies: [
                "TestSupport", "SeedSupport", "RequestsExamples", "StrataRequests", "StrataPlatform", "StrataTesting",
            ],
            path: "Tests/RequestsTests"),
        .testTarget(
            name: "PublishersTests",
            dependencies: ["TestSupport", "StrataPublishers", "StrataEncoding", "StrataTesting", "StrataWebSocket"],
            path: "Tests/PublishersTests"),
        .target(
            name: "RestExamples", dependencies: ["SeedSupport", "StrataRest", "StrataEncoding", "StrataTesting"],
            path: "Tests/RestExamples"),
        .testTarget(
            name: "RestTests",
            dependencies: ["TestSupport", "RestExamples", "StrataRest", "StrataEncoding", "StrataTesting"],
            path: "Tests/RestTests"),
        .testTarget(
            name: "ValueTests",
            dependencies: [
                "TestSupport", "StrataCore", "StrataEncoding", "StrataAPI", "StrataRequests", "StrataRest",
                "StrataTesting",
            ],
            path: "Tests/ValueTests"),
        .testTarget(
            name: "TestingTests",
            dependencies: ["TestSupport", "StrataTesting", "StrataEncoding", "StrataMiddleware", "StrataStreaming"],
            path: "Tests/TestingTests"),
        .target(
            name: "CassetteStories",
            dependencies: [
                "StrataCore", "StrataEncoding", "StrataStreaming", "StrataAPI", "StrataRequests", "StrataRest",
            ],
            path: "Tests/CassetteStories"),
        .testTarget(
            name: "TestingTraitsTests",
            dependencies: [
                "TestSupport", "CassetteStories", "StrataTestingTraits", "StrataTesting", "StrataCore",
                "StrataEncoding",
            ],
            path: "Tests/TestingTraitsTests", exclude: ["Cassettes"]),
        .testTarget(
            name: "EchoServerTests",
            dependencies: [
                "TestSupport", "EchoServer", httpTypes, crypto,
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdTesting", package: "hummingbird"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOEmbedded", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
                .product(name: "NIOHTTPCompression", package: "swift-nio-extras"),
                .product(name: "X509", package: "swift-certificates"),
                .product(name: "SwiftASN1", package: "swift-asn1"),
                .product(name: "Yams", package: "Yams"),
            ],
            path: "Tests/EchoServerTests"),
        .testTarget(
            name: "IntegrationTests",
            dependencies: [
                "TestSupport", "SeedSupport", "CassetteStories", "RequestsExamples", "RestExamples", "APIExamples",
                "StrataCore", "Strata", "StrataEncoding", "StrataMiddleware", "StrataAuthentication", "StrataCurl",
                "StrataNative",
                "StrataURLSession", "StrataRequests", "StrataRest", "StrataAPI", "StrataPublishers", "StrataWebSocket",
                "StrataTesting", "StrataStreaming", "StrataCache", "StrataDiskCache", "ChildProcess", "EchoServer",
                "Stress", "CStrataNGHTTP2", httpTypes,
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdTesting", package: "hummingbird"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOTLS", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ],
            path: "IntegrationTests",
            exclude: ["AutobahnClient", "Peers/Servers", "Stress", "WireDriver", "ChildProcess"]),
    ],
    swiftLanguageModes: [.v6]
)

// A sanitizer has everything built anew: what needs a server, a compiler plug-in or a crypto library stays out.
if Context.environment["STRATA_SANITIZE"] != nil {
    let heavy: Set = ["EchoServer", "StrataAPIExpansion", "StrataAuthentication", "StrataCache"]
    var removed = heavy
    func needs(_ dependency: Target.Dependency) -> Bool {
        switch dependency {
        case .byNameItem(let name, _), .targetItem(let name, _): removed.contains(name)
        default: false
        }
    }
    while let target = package.targets.first(where: {
        !removed.contains($0.name) && $0.dependencies.contains(where: needs)
    }) {
        removed.insert(target.name)
    }
    package.targets.removeAll { removed.contains($0.name) }
    package.products.removeAll { removed.contains($0.name) }
}

// The targets that STRATA_TARGETS names, separated by commas, and what they need: a quick build of some modules and their tests.
if let wanted = Context.environment["STRATA_TARGETS"] {
    let targets = Dictionary(uniqueKeysWithValues: package.targets.map { ($0.name, $0) })
    var kept: Set<String> = []
    func keep(_ name: String) {
        guard let target = targets[name], kept.insert(name).inserted else { return }
        for case .byNameItem(let name, _) in target.dependencies { keep(name) }
        for case .targetItem(let name, _) in target.dependencies { keep(name) }
    }
    wanted.split(separator: ",").forEach { keep(String($0)) }
    package.targets.removeAll { !kept.contains($0.name) }
    package.products.removeAll { !kept.contains($0.name) }
}

// In CI a warning is an error; in a user's build it is a warning.
let warnings: [SwiftSetting] =
    Context.environment["STRATA_WARNINGS_AS_ERRORS"] == nil ? [] : [.treatAllWarnings(as: .error)]
let features = [
    "ExistentialAny", "InternalImportsByDefault", "MemberImportVisibility", "NonisolatedNonsendingByDefault",
]
// APIExamples is compiled as its users' code is: without what we opt in to.
for target in package.targets where target.type != .system && target.name != "APIExamples" {
    target.swiftSettings = (target.swiftSettings ?? []) + features.map { .enableUpcomingFeature($0) } + warnings
}
