// swift-tools-version: 6.2
import PackageDescription

// An app whose code belongs to the main actor unless it says otherwise: its models conform to Codable there too.
let package = Package(
    name: "MainActorApp",
    platforms: [.macOS(.v15), .iOS(.v18)],
    dependencies: [.package(name: "Strata", path: "../..")],
    targets: [
        .executableTarget(
            name: "MainActorApp",
            dependencies: [
                .product(name: "StrataCore", package: "Strata"),
                .product(name: "StrataEncoding", package: "Strata"),
                .product(name: "StrataRequests", package: "Strata"),
                .product(name: "StrataRest", package: "Strata"),
                .product(name: "StrataTesting", package: "Strata"),
            ],
            swiftSettings: [.defaultIsolation(MainActor.self)])
    ],
    swiftLanguageModes: [.v6]
)
