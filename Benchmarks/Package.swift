// swift-tools-version: 6.2
import PackageDescription

// Side-by-side measurements; `scripts/bench` runs them. A package of its own, so that no user resolves the peers.
let package = Package(
    name: "Benchmarks",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "Strata", path: ".."),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.24.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.80.0"),
    ],
    targets: [
        .target(
            name: "Harness", swiftSettings: [.enableUpcomingFeature("NonisolatedNonsendingByDefault")]),
        .executableTarget(
            name: "StrataBench",
            dependencies: [
                "Harness",
                .product(name: "StrataCore", package: "Strata"),
                .product(name: "StrataCache", package: "Strata"),
                .product(name: "StrataCurl", package: "Strata"),
                .product(name: "StrataDiskCache", package: "Strata"),
                .product(name: "StrataEncoding", package: "Strata"),
                .product(name: "StrataMiddleware", package: "Strata"),
                .product(name: "StrataNative", package: "Strata"),
                .product(name: "StrataStreaming", package: "Strata"),
                .product(name: "StrataTesting", package: "Strata"),
                .product(name: "StrataURLSession", package: "Strata"),
                .product(name: "StrataWebSocket", package: "Strata"),
            ],
            swiftSettings: [.enableUpcomingFeature("NonisolatedNonsendingByDefault")]),
        .executableTarget(
            name: "CostProbe",
            dependencies: [
                "Harness",
                .product(name: "StrataCore", package: "Strata"),
                .product(name: "StrataCurl", package: "Strata"),
                .product(name: "StrataNative", package: "Strata"),
            ],
            swiftSettings: [.enableUpcomingFeature("NonisolatedNonsendingByDefault")]),
        .executableTarget(
            name: "LayerProbe",
            dependencies: [
                "Harness",
                .product(name: "StrataCompression", package: "Strata"),
                .product(name: "StrataCore", package: "Strata"),
                .product(name: "StrataMiddleware", package: "Strata"),
            ],
            swiftSettings: [.enableUpcomingFeature("NonisolatedNonsendingByDefault")]),
        .executableTarget(
            name: "PeerBench",
            dependencies: [
                "Harness",
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOWebSocket", package: "swift-nio"),
            ],
            swiftSettings: [.enableUpcomingFeature("NonisolatedNonsendingByDefault")]),
    ],
    swiftLanguageModes: [.v6]
)
