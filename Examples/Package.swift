// swift-tools-version: 6.2
import PackageDescription

/// Products of Strata by name.
func strata(_ names: String...) -> [Target.Dependency] { names.map { .product(name: $0, package: "Strata") } }

// Whole programs that use Strata as a package of their own does: each links the modules that it needs.
let package = Package(
    name: "Examples",
    platforms: [.macOS(.v15), .iOS(.v18)],
    dependencies: [.package(name: "Strata", path: "..")],
    targets: [
        .executableTarget(name: "LLMChat", dependencies: strata("Strata")),
        .target(name: "Issues", dependencies: strata("StrataCore", "StrataEncoding")),
        .executableTarget(name: "GitHubIssues", dependencies: ["Issues"] + strata("Strata", "StrataCache")),
        .executableTarget(name: "DeviceSignIn", dependencies: strata("Strata", "StrataAuthentication")),
        .executableTarget(name: "Uploader", dependencies: strata("Strata")),
        .executableTarget(name: "Gateway", dependencies: strata("Strata")),
        .executableTarget(
            name: "WebSocketChat",
            dependencies: strata("StrataCore", "StrataEncoding", "StrataNative", "StrataWebSocket")),
        .testTarget(
            name: "IssuesTests",
            dependencies: ["Issues"]
                + strata(
                    "StrataCore", "StrataEncoding", "StrataPlatform", "StrataTesting", "StrataTestingTraits")),
    ],
    swiftLanguageModes: [.v6]
)

for target in package.targets where Context.environment["STRATA_WARNINGS_AS_ERRORS"] != nil {
    target.swiftSettings = [.treatAllWarnings(as: .error)]
}
