// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#endif

/// The folder of a cassette, with the files of its large bodies in a folder of their own: of `github.har` in `github.bodies`.
enum CassetteFolder {
    /// Whether a file is beneath the folder when all symbolic links are followed.
    static func isInside(_ path: String, of folder: String) -> Bool {
        guard let whole = resolved(folder), let file = resolved(path) else { return true }
        return file.hasPrefix(whole == "/" ? "/" : whole + "/")
    }

    /// `nil` when there is nothing at the path.
    private static func resolved(_ path: String) -> String? {
        guard let resolved = realpath(path, nil) else { return nil }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    static func parent(of path: String) -> String {
        path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
    }

    static func name(of path: String) -> String {
        path.lastIndex(of: "/").map { String(path[path.index(after: $0)...]) } ?? path
    }

    /// The name of the folder for bodies, in that of the cassette.
    static func bodies(of path: String) -> String {
        let name = name(of: path)
        return (name.hasSuffix(".har") ? String(name.dropLast(4)) : name) + ".bodies"
    }

    /// Makes the folder, and those above it.
    static func make(_ path: String) throws(POSIXError) {
        if path.isEmpty || mkdir(path, 0o755) == 0 || errno == EEXIST { return }
        guard errno == ENOENT else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        try make(parent(of: path))
        guard mkdir(path, 0o755) == 0 || errno == EEXIST else {
            throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
        }
    }
}
