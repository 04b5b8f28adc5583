// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import StrataCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A download on its way: the bytes so far, under another name, and what is needed to ask for the rest.
final class PartialFile {
    /// What is written beside the bytes.
    struct Info: Codable, Equatable {
        /// See `TransportRequest.resource`.
        var url: String
        /// A strong `ETag`, or the `Last-Modified` date: what `If-Range` is sent.
        var validator: String
        var total: Int64?
    }

    private let destination: String
    private let path: String
    private let infoPath: String?
    private let file: OutputFile
    private(set) var info: Info?
    private(set) var count: Int64

    /// Whether the rest can be asked for.
    var isResumable: Bool { count > 0 && info != nil }

    /// - Parameter keepsFor: the resource that it may be gone on with, now and later; `nil` for a download that is not
    ///   kept.
    init(for destination: String, keepsFor resource: String?) throws {
        self.destination = destination
        let (folder, name) = Self.split(destination)
        guard resource != nil else {
            path = "\(folder).download-\(UInt64.random(in: .min ... .max)).part"
            infoPath = nil
            file = try OutputFile(path: path, isNew: true)
            count = 0
            return
        }
        path = "\(folder)\(name).part"
        let infoPath = path + ".info"
        self.infoPath = infoPath
        file = try OutputFile(path: path, isNew: false)
        try file.lock()
        let found = (try? Data(contentsOf: URL(filePath: infoPath))).flatMap {
            try? JSONDecoder().decodeReceived(Info.self, from: $0)
        }
        info = found?.url == resource ? found : nil
        count = info == nil ? 0 : try file.size()
        try file.truncate(to: count)
    }

    /// Forgets what is there, and begins anew.
    ///
    /// - Parameter info: by which this one can be gone on with later, if at all.
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
            // Which of the bytes were lost nobody can tell.
            info = nil
            throw error
        }
        // Before the lock goes, so that nobody takes it for a part.
        try OutputFile.move(path, to: destination, replaces: replacing)
        file.close()
        if let infoPath { OutputFile.remove(infoPath) }
    }

    /// The download has failed: what there is stays when it can be gone on with, also when the disk is full or the name
    /// taken.
    func abandon() {
        defer { file.close() }
        if isResumable { return }
        OutputFile.remove(path)
        if let infoPath { OutputFile.remove(infoPath) }
    }

    private static func split(_ path: String) -> (folder: String, name: String) {
        guard let slash = path.lastIndex(of: "/") else { return ("", path) }
        let start = path.index(after: slash)
        return (String(path[..<start]), String(path[start...]))
    }
}

extension TransportRequest {
    /// What a download is of: the URL, with a checksum in place of its query. What a URL is signed with does not count,
    /// since it is another each time, nor do other secrets; but `key` and `code`, which may name the resource, do unless
    /// `sensitiveQueryItems` has them.
    var resource: String {
        let parts = url.split(separator: "?", maxSplits: 1)
        guard parts.count == 2 else { return head.urlWithoutQuery }
        var items = parts[1].split(separator: "&").map { (name: Self.name(of: $0), text: $0) }
        let names = items.map { SecretNames.normalized($0.name) }
        var ignored = Set(options.sensitiveQueryItems.map { SecretNames.normalized($0) })
        if names.contains("sig") { ignored.formUnion(Self.besideSig) }
        if names.contains(where: { $0.hasSuffix("signature") }) { ignored.formUnion(Self.besideSignature) }
        items.removeAll { SecretNames.isSecret($0.name) || ignored.contains(SecretNames.normalized($0.name)) }
        // FNV-1a.
        let checksum = items.map(\.text).joined(separator: "&").utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) {
            ($0 ^ UInt64($1)) &* 0x100_0000_01B3
        }
        return "\(head.urlWithoutQuery)?\(String(checksum, radix: 16))"
    }

    /// How long a `sig` holds: Azure.
    private static let besideSig = ["se", "ske", "skt", "st"]
    /// How long a `Signature`, an `X-Amz-Signature` or an `X-Goog-Signature` holds: CloudFront, S3, Google Cloud.
    private static let besideSignature = [
        "expires", "policy", "xamzdate", "xamzexpires", "xgoogdate", "xgoogexpires",
    ]

    private static func name(of item: Substring) -> String {
        String(decoding: PercentEncoding.decode(item.utf8.prefix { $0 != UInt8(ascii: "=") }), as: UTF8.self)
    }
}
