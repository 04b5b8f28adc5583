// swift-tools-version: 6.2
import PackageDescription

// A program with Core, Encoding, Streaming, Middleware and Curl, to see what it links (scripts/check-links).
let package = Package(
    name: "Links",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "Strata", path: "../..")],
    targets: [
        .executableTarget(
            name: "Links",
            dependencies: [
                .product(name: "StrataCore", package: "Strata"),
                .product(name: "StrataCurl", package: "Strata"),
                .product(name: "StrataEncoding", package: "Strata"),
                .product(name: "StrataMiddleware", package: "Strata"),
                .product(name: "StrataStreaming", package: "Strata"),
            ])
    ],
    swiftLanguageModes: [.v6]
)
