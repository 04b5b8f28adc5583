// swift-tools-version: 6.2
import PackageDescription

// The command-line client. A package of its own: who links Strata neither resolves nor builds swift-argument-parser, and the tool
// shows that what is public suffices.
let package = Package(
    name: "CommandLine",
    platforms: [.macOS(.v15)],
    products: [.executable(name: "strata", targets: ["strata"])],
    dependencies: [
        .package(name: "Strata", path: ".."),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
    ],
    targets: [
        .target(
            name: "StrataTool",
            dependencies: [
                .product(name: "StrataCore", package: "Strata"),
                .product(name: "StrataCurl", package: "Strata"),
                .product(name: "StrataNative", package: "Strata", condition: .when(platforms: [.linux])),
                .product(name: "StrataURLSession", package: "Strata"),
                .product(name: "StrataWebSocket", package: "Strata"),
                .product(name: "StrataEncoding", package: "Strata"),
                .product(name: "StrataStreaming", package: "Strata"),
                .product(name: "StrataMiddleware", package: "Strata"),
                .product(name: "StrataAuthentication", package: "Strata"),
                .product(name: "StrataTesting", package: "Strata"),
            ]),
        .executableTarget(
            name: "strata",
            dependencies: ["StrataTool", .product(name: "ArgumentParser", package: "swift-argument-parser")]),
        .testTarget(
            name: "StrataToolTests",
            dependencies: [
                "StrataTool", "strata", .product(name: "StrataCore", package: "Strata"),
                .product(name: "StrataEncoding", package: "Strata"),
                .product(name: "StrataTesting", package: "Strata"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ]),
    ],
    swiftLanguageModes: [.v6]
)

for target in package.targets {
    target.swiftSettings =
        [.enableUpcomingFeature("ExistentialAny")]
        + (Context.environment["STRATA_WARNINGS_AS_ERRORS"] == nil ? [] : [.treatAllWarnings(as: .error)])
}
