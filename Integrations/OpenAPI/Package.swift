// swift-tools-version: 6.2
import PackageDescription

// Clients that are made by swift-openapi-generator, over Strata. A package of its own: nobody else resolves the runtime.
// Where that cannot be fetched, STRATA_OPENAPI_STUB takes the few declarations that are needed from Fixtures.
let runtime: Package.Dependency =
    Context.environment["STRATA_OPENAPI_STUB"] == nil
    ? .package(url: "https://github.com/apple/swift-openapi-runtime", from: "1.8.0")
    : .package(name: "swift-openapi-runtime", path: "../../Fixtures/OpenAPIRuntime")

let package = Package(
    name: "StrataOpenAPI",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: [.library(name: "StrataOpenAPI", targets: ["StrataOpenAPI"])],
    dependencies: [
        .package(name: "Strata", path: "../.."), runtime,
        .package(url: "https://github.com/apple/swift-http-types", from: "1.4.0"),
    ],
    targets: [
        .target(
            name: "StrataOpenAPI",
            dependencies: [
                .product(name: "StrataCore", package: "Strata"),
                .product(name: "OpenAPIRuntime", package: "swift-openapi-runtime"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ]),
        .testTarget(
            name: "StrataOpenAPITests",
            dependencies: [
                "StrataOpenAPI", .product(name: "StrataCore", package: "Strata"),
                .product(name: "StrataEncoding", package: "Strata"),
                .product(name: "StrataMiddleware", package: "Strata"),
                .product(name: "StrataTesting", package: "Strata"),
                .product(name: "OpenAPIRuntime", package: "swift-openapi-runtime"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ]),
    ],
    swiftLanguageModes: [.v6]
)

for target in package.targets {
    target.swiftSettings =
        [.enableUpcomingFeature("ExistentialAny"), .enableUpcomingFeature("InternalImportsByDefault")]
        + (Context.environment["STRATA_WARNINGS_AS_ERRORS"] == nil ? [] : [.treatAllWarnings(as: .error)])
}
