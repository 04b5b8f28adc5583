// SPDX-License-Identifier: Apache-2.0

import StrataCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A download that is not complete: the bytes so far, under another name, and what is needed to ask for the rest.
final class PartialFile {
    /// What is written beside the bytes.
    struct Info: Codable, Equatable {
        /// See `TransportRequest.resource`.
        var url: String
        /// A strong `ETag`, or the `Last-Modified` date: what `If-Range` is sent. `nil`: the rest cannot be asked for.
        var validator: String?
        var total: Int64?
    }

    private let destination: String
    private let path: String
    private let infoPath: String?
    private let file: OutputFile
    private(set) var info: Info?
    private(set) var count: Int64

    /// Whether the rest can be asked for.
    var isResumable: Bool { count > 0 && info?.validator != nil }

    /// - Parameter keepsFor: the resource for which the bytes may be kept and used again; `nil` for a download that
    ///   does not resume.
    /// - Throws: also when there are bytes under its name that no download has left.
    init(for destination: String, keepsFor resource: String?) throws {
        self.destination = destination
        let (folder, name) = Self.split(destination)
        // When a file is replaced, the new one is private until it is complete, and then gets the permissions of the
        // old one.
        let isPrivate = OutputFile.kind(of: destination) != nil
        guard resource != nil else {
            path = "\(folder).download-\(UInt64.random(in: .min ... .max)).part"
            infoPath = nil
            file = try OutputFile(path: path, isNew: true, isPrivate: isPrivate)
            count = 0
            return
        }
        path = "\(folder)\(name).strata-part"
        let infoPath = path + ".info"
        self.infoPath = infoPath
        let left = try OutputFile(path: path, isNew: false, isPrivate: isPrivate)
        try left.lock()
        let written = try? Data(contentsOf: URL(filePath: infoPath))
        // A process was killed between two steps of giving the file its name: it is complete, and not to be written to.
        if written != nil, try left.hasOtherName() {
            OutputFile.remove(path)
            file = try OutputFile(path: path, isNew: true, isPrivate: isPrivate)
            try file.lock()
        } else {
            file = left
        }
        let size = try file.size()
        guard size == 0 || written != nil else {
            throw NetworkClientError(.fileFailed, "there is a file at \(path) that is not part of a download")
        }
        if written == nil {
            do {
                // Tried before anything is sent: the name may be too long, or belong to another file.
                try OutputFile(path: infoPath, isNew: true).close()
                OutputFile.remove(infoPath)
            } catch {
                OutputFile.remove(path)
                throw error
            }
        }
        let found = written.flatMap { try? JSONDecoder().decodeReceived(Info.self, from: $0) }
        info = found?.url == resource ? found : nil
        count = info?.validator == nil ? 0 : size
        try file.truncate(to: count)
    }

    /// Forgets what is there, and begins anew.
    ///
    /// - Parameter info: what stands beside the bytes from the first one on; `nil` for nothing.
    func startOver(_ info: Info?) throws {
        count = 0
        try file.truncate(to: 0)
        self.info = info
        guard let infoPath else { return }
        OutputFile.remove(infoPath)
        guard let info else { return }
        let written = try OutputFile(path: infoPath, isNew: true)
        try written.write(try JSONEncoder().encode(info))
    }

    func write(_ piece: Data) throws {
        try file.write(piece)
        count += Int64(piece.count)
    }

    /// The body is complete: the file gets its name.
    func finish(replacing: Bool) throws {
        do {
            try file.synchronize()
        } catch {
            // There is no telling which of the bytes were lost.
            info = nil
            throw error
        }
        let permissions = replacing ? file.takePermissions(of: destination) : nil
        try OutputFile.move(path, to: destination, replaces: replacing)
        // Not earlier, so that after a failure a later download can still write to the file.
        if let permissions { file.setPermissions(permissions) }
        // Not earlier: if the process were killed in between, there would be bytes without their `.info`.
        if let infoPath { OutputFile.remove(infoPath) }
        file.close()
    }

    /// The download has failed. The bytes are kept if a later download can go on with them, also when the disk is full
    /// or the name is taken.
    func abandon() {
        defer { file.close() }
        if isResumable { return }
        // While the name is locked, because without the lock another download may begin.
        try? startOver(nil)
        OutputFile.remove(path)
    }

    private static func split(_ path: String) -> (folder: String, name: String) {
        // By scalars, because a slash followed by a combining mark is another character.
        guard let slash = path.unicodeScalars.lastIndex(of: "/") else { return ("", path) }
        let start = path.unicodeScalars.index(after: slash)
        return (String(path[..<start]), String(path[start...]))
    }
}
