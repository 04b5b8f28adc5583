// swift-tools-version: 6.2
import Foundation
import PackageDescription

// Each folder in Targets is a fuzzer of its own; nothing else has to be named.
let folder = Context.packageDirectory + "/Targets"
let names = try FileManager.default.contentsOfDirectory(atPath: folder).filter { !$0.hasPrefix(".") }.sorted()

let package = Package(
    name: "Fuzz",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "Strata", path: ".."),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.4.0"),
    ],
    targets: names.map { name in
        .executableTarget(
            name: name,
            dependencies: [
                "FuzzSupport", .product(name: "StrataCore", package: "Strata"),
                .product(name: "StrataEncoding", package: "Strata"),
                .product(name: "StrataNative", package: "Strata"),
                .product(name: "StrataStreaming", package: "Strata"),
                .product(name: "StrataTransportSupport", package: "Strata"),
                .product(name: "StrataWebSocket", package: "Strata"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ],
            path: "Targets/\(name)")
    } + [.target(name: "FuzzSupport", path: "Support")],
    swiftLanguageModes: [.v6]
)
