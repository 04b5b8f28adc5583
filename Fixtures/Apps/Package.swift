// swift-tools-version: 6.2
import PackageDescription

// Programs that use Strata as a package.
let package = Package(
    name: "Apps",
    platforms: [.macOS(.v15), .iOS(.v18)],
    dependencies: [.package(name: "Strata", path: "../..")],
    targets: [
        // An app whose code belongs to the main actor unless it says otherwise: its models conform to Codable there too.
        .executableTarget(
            name: "MainActorApp",
            dependencies: [
                .product(name: "StrataCore", package: "Strata"),
                .product(name: "StrataEncoding", package: "Strata"),
                .product(name: "StrataRequests", package: "Strata"),
                .product(name: "StrataRest", package: "Strata"),
                .product(name: "StrataTesting", package: "Strata"),
            ],
            swiftSettings: [.defaultIsolation(MainActor.self)]),
        // What goes on compiling when the package grows.
        .executableTarget(
            name: "Upgrades",
            dependencies: [
                "StrataAuthentication", "StrataCore", "StrataCurl", "StrataEncoding", "StrataMiddleware",
                "StrataRequests",
                "StrataRest", "StrataStreaming", "StrataTesting",
            ].map { .product(name: $0, package: "Strata") },
            swiftSettings: [.treatAllWarnings(as: .error)]),
        // A program with Core, Encoding, Streaming, Middleware, DiskCache and Curl, to see what it links (scripts/check-links).
        .executableTarget(
            name: "Links",
            dependencies: [
                .product(name: "StrataCore", package: "Strata"),
                .product(name: "StrataCache", package: "Strata"),
                .product(name: "StrataCurl", package: "Strata"),
                .product(name: "StrataDiskCache", package: "Strata"),
                .product(name: "StrataEncoding", package: "Strata"),
                .product(name: "StrataMiddleware", package: "Strata"),
                .product(name: "StrataStreaming", package: "Strata"),
            ]),
    ],
    swiftLanguageModes: [.v6]
)
