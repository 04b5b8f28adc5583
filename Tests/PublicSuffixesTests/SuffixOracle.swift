// SPDX-License-Identifier: Apache-2.0

import Foundation

/// libpsl, loaded while the test runs: nothing is linked with it.
struct SuffixOracle {
    /// Where Debian's package `publicsuffix` has the list.
    static let list = "/usr/share/publicsuffix/public_suffix_list.dat"

    private typealias LoadFile = @convention(c) (UnsafePointer<CChar>) -> OpaquePointer?
    private typealias IsSuffix = @convention(c) (OpaquePointer, UnsafePointer<CChar>) -> Int32

    private let rules: OpaquePointer
    private let isSuffix: IsSuffix

    static var isHere: Bool { library != nil && FileManager.default.fileExists(atPath: list) }

    // Unsafe: a handle of the loader, which is opened once and never closed.
    private nonisolated(unsafe) static let library = dlopen("libpsl.so.5", RTLD_NOW)

    struct Failure: Error {}

    init() throws {
        guard let load = dlsym(Self.library, "psl_load_file"), let ask = dlsym(Self.library, "psl_is_public_suffix"),
            let rules = unsafeBitCast(load, to: LoadFile.self)(Self.list)
        else { throw Failure() }
        self.rules = rules
        isSuffix = unsafeBitCast(ask, to: IsSuffix.self)
    }

    func contains(_ domain: String) -> Bool { isSuffix(rules, domain) == 1 }

    /// The day of the package's list, as far as its change log tells: the first part of its version.
    static var date: String? {
        let status = try? String(contentsOfFile: "/var/lib/dpkg/status", encoding: .utf8)
        let entry = status?.components(separatedBy: "\n\n").first { $0.hasPrefix("Package: publicsuffix\n") }
        guard let line = entry?.split(separator: "\n").first(where: { $0.hasPrefix("Version: ") }) else { return nil }
        let digits = line.dropFirst("Version: ".count).prefix(8)
        return "\(digits.prefix(4))-\(digits.dropFirst(4).prefix(2))-\(digits.suffix(2))"
    }
}
