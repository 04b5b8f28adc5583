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

/// A large body on its way into a file beside the cassette, which its owner alone may read. It is removed unless it is kept.
final class BodyFile: @unchecked Sendable {
    // Unchecked because its recorder alone changes it, and holds a lock while it does.
    /// As it stands in the cassette.
    let name: String
    let path: String
    private let descriptor: Int32
    private(set) var count: Int64 = 0
    private var isKept = false

    /// - Parameter cassette: the path of the cassette.
    init(beside cassette: String) throws {
        let folder = CassetteFolder.bodies(of: cassette)
        name = "\(folder)/\(UUID().uuidString).bin"
        let parent = CassetteFolder.parent(of: cassette)
        path = "\(parent)/\(name)"
        try CassetteFolder.make("\(parent)/\(folder)")
        descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
    }

    deinit {
        close(descriptor)
        if !isKept { unlink(path) }
    }

    func keep() { isKept = true }

    func append(_ data: Data) throws {
        var rest = data[...]
        while !rest.isEmpty {
            let written = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            guard written > 0 || errno == EINTR else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
            rest = rest.dropFirst(max(written, 0))
        }
        count += Int64(data.count)
    }
}
