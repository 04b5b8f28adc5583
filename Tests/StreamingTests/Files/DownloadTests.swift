// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StrataCore
import StrataTesting
import TestSupport
import Testing

@testable import StrataStreaming

/// `download(_:to:options:progress:)` without resuming.
struct DownloadTests {
    private let folder: TemporaryFolder
    private let request = PlainRequest(path: "file", method: .get)

    init() throws { folder = try TemporaryFolder() }

    private func pieces(_ texts: String..., length: Int64? = nil, failure: (any Error)? = nil) -> ScriptedReply {
        .pieces(texts.map { Data($0.utf8) }, length: length, failure: failure)
    }

    @Test func givesTheFileItsNameWhenTheBodyIsComplete() async throws {
        let folder = folder
        let during = Recorder<[String]>()
        let transport = ScriptedTransport(
            .source {
                ClosureSource(["one ", "two"]) { during.add((try? folder.names) ?? []) }
            })
        let file = try await NetworkClient(transport).download(request, to: folder["a.txt"])
        #expect(try folder.text("a.txt") == "one two")
        #expect(file.byteCount == 7)
        #expect(file.resumedFrom == 0)
        #expect(file.exchange.attempts.count == 1)
        #expect(try folder.names == ["a.txt"])
        #expect(!during.all.isEmpty)
        #expect(during.all.allSatisfy { $0.count == 1 && $0 != ["a.txt"] })
        #expect(transport.requests[0]["accept"] == "*/*")
    }

    @Test func aDownloadedFileShowsNoFields() async throws {
        let transport = ScriptedTransport(.text("one", fields: [.setCookie: Leaks.mark]))
        let file = try await NetworkClient(transport).download(request, to: folder["a.txt"])
        #expect("\(file)" == "\(folder["a.txt"].path) (3 bytes)")
        var dumped = ""
        dump(file, to: &dumped)
        Leaks.check("\(file) \(String(reflecting: file)) \(dumped)", "a downloaded file")
    }

    /// The disk blocks.
    @Test func writesElsewhereThanOnTheCallersActor() async throws {
        let caller = Caller()
        let isOnCaller = Recorder<Bool>()
        let client = NetworkClient(
            ScriptedTransport(.source { ClosureSource(["one"]) { isOnCaller.add(caller.executor.isRunningHere) } }))
        try await caller.read(request, by: client)
        try await caller.download(request, by: client, to: folder["a.txt"])
        #expect(isOnCaller.all == [true, true, false, false])
    }

    /// A later call takes what a killed process has left for its own, and nothing else.
    @Test func aPartIsKnownForOneFromItsFirstByteOn() async throws {
        let folder = folder
        let during = Recorder<[String]>()
        let transport = ScriptedTransport(
            .source { ClosureSource(["one ", "two"]) { during.add((try? folder.names) ?? []) } })
        try await NetworkClient(transport).download(request, to: folder["a.txt"], options: .resuming)
        #expect(Set(during.all) == [["a.txt.strata-part", "a.txt.strata-part.info"]])
        #expect(try folder.names == ["a.txt"])
    }

    @Test(arguments: [Int64?.none, 7]) func leavesNothingOfABodyThatEndsEarly(_ length: Int64?) async throws {
        let lost = NetworkClientError(.connectionLost, "scripted")
        let transport = ScriptedTransport(pieces("one ", length: length, failure: lost))
        await #expect { try await NetworkClient(transport).download(request, to: folder["a.txt"]) } throws: {
            ($0 as? NetworkClientError)?.code == .connectionLost
        }
        #expect(try folder.names == [])
    }

    @Test(arguments: [(Int64(6), NetworkClientError.Code.protocolViolation), (8, .connectionLost)])
    func holdsTheBodyToItsAnnouncedLength(_ length: Int64, _ code: NetworkClientError.Code) async throws {
        let transport = ScriptedTransport(pieces("one ", "two", length: length))
        await #expect { try await NetworkClient(transport).download(request, to: folder["a.txt"]) } throws: {
            ($0 as? NetworkClientError)?.code == code
        }
        #expect(try folder.names == [])
    }

    @Test func saysWhatIsNotReplaced() async throws {
        try FileManager.default.createDirectory(at: folder["d"], withIntermediateDirectories: false)
        mkfifo(folder["p"].path, 0o600)
        for (name, kind) in [("d", "a folder"), ("p", "no regular file")] {
            await #expect { try await NetworkClient(ScriptedTransport()).download(request, to: folder[name]) } throws: {
                "\($0)".contains("is \(kind) and is not replaced")
            }
        }
    }

    @Test func leavesWhatWasThereWhenItFails() async throws {
        try Data("old".utf8).write(to: folder["a.txt"])
        let transport = ScriptedTransport(.text("missing", status: 404))
        let error = await #expect(throws: NetworkClientError.self) {
            try await NetworkClient(transport).download(request, to: folder["a.txt"])
        }
        #expect(error?.code == .unacceptableStatus)
        #expect(error?.body == Data("missing".utf8))
        #expect(try folder.text("a.txt") == "old")
        #expect(try folder.names == ["a.txt"])
    }

    @Test func theErrorOfAStatusThatALayerThrowsCanBeDecoded() async throws {
        let transport = ScriptedTransport(.json(#"{"reason":"gone"}"#, status: 404))
        let client = NetworkClient(transport, middleware: [StrictStatus()])
        let error = await #expect(throws: NetworkClientError.self) {
            try await client.download(request, to: folder["a.txt"])
        }
        #expect(try error?.decode([String: String].self) == ["reason": "gone"])
    }

    @Test func replacesAFileUnlessToldNotTo() async throws {
        try Data("old".utf8).write(to: folder["a.txt"])
        try await expectTaken("a.txt")
        #expect(try folder.text("a.txt") == "old")
        let client = NetworkClient(ScriptedTransport(.text("new")))
        try await client.download(request, to: folder["a.txt"])
        #expect(try folder.text("a.txt") == "new")
        try await client.download(request, to: folder["b.txt"], options: Self.notReplacing)
        #expect(try folder.names == ["a.txt", "b.txt"])
    }

    private static let notReplacing: DownloadOptions = {
        var options = DownloadOptions()
        options.replacesExisting = false
        return options
    }()

    /// A download that is not to replace a file of this name fails before anything is sent.
    private func expectTaken(_ name: String) async throws {
        let transport = ScriptedTransport(.text("new"))
        let error = await #expect(throws: NetworkClientError.self) {
            try await NetworkClient(transport).download(request, to: folder[name], options: Self.notReplacing)
        }
        #expect(error?.code == .fileFailed)
        #expect(transport.requests.isEmpty)
    }

    @Test func aLinkThatLeadsNowhereTakesTheNameToo() async throws {
        try FileManager.default.createSymbolicLink(atPath: folder["a.txt"].path, withDestinationPath: "gone")
        try await expectTaken("a.txt")
        try await NetworkClient(ScriptedTransport(.text("new"))).download(request, to: folder["a.txt"])
        #expect(try folder.text("a.txt") == "new")
        #expect(try folder.names == ["a.txt"])
    }

    @Test func doesNotReplaceAFileThatCameMeanwhile() async throws {
        let folder = folder
        let transport = ScriptedTransport(
            .source { ClosureSource(["new"]) { try? Data("theirs".utf8).write(to: folder["a.txt"]) } })
        let error = await #expect(throws: NetworkClientError.self) {
            try await NetworkClient(transport).download(request, to: folder["a.txt"], options: Self.notReplacing)
        }
        #expect(error?.code == .fileFailed)
        #expect((error?.cause as? POSIXError)?.code == .EEXIST)
        #expect(error?.response?.status == .ok)
        #expect(error?.exchange?.attempts.count == 1)
        #expect(try folder.names == ["a.txt"])
        #expect(try folder.text("a.txt") == "theirs")
    }

    @Test func keepsWhatCameWhenTheNameWasTakenMeanwhile() async throws {
        let folder = folder
        let transport = ScriptedTransport(
            .source(fields: [.eTag: "\"v1\""]) {
                ClosureSource(["new"]) { try? Data("theirs".utf8).write(to: folder["a.txt"]) }
            }, .status(416, fields: [.contentRange: "bytes */3"]))
        var options = DownloadOptions.resuming
        options.replacesExisting = false
        let error = await #expect(throws: NetworkClientError.self) {
            try await NetworkClient(transport).download(request, to: folder["a.txt"], options: options)
        }
        #expect(error?.code == .fileFailed)
        #expect(try folder.names == ["a.txt", "a.txt.strata-part", "a.txt.strata-part.info"])
        try FileManager.default.removeItem(at: folder["a.txt"])
        let file = try await NetworkClient(transport).download(request, to: folder["a.txt"], options: options)
        #expect(file.resumedFrom == 3)
        #expect(try folder.text("a.txt") == "new")
    }

    @Test(arguments: ["no-folder/a.txt", "file/a.txt", "folder", "folder/", "link-to-device"], [false, true])
    func sendsNothingWhenThereIsNoPlaceForTheFile(_ name: String, _ resumes: Bool) async throws {
        try Data().write(to: folder["file"])
        try FileManager.default.createDirectory(at: folder["folder"], withIntermediateDirectories: false)
        try FileManager.default.createSymbolicLink(
            atPath: folder["link-to-device"].path, withDestinationPath: "/dev/null")
        let transport = ScriptedTransport(.text("new"))
        var options = DownloadOptions()
        options.resumes = resumes
        let error = await #expect(throws: NetworkClientError.self) {
            try await NetworkClient(transport).download(request, to: folder[name], options: options)
        }
        #expect(error?.code == .fileFailed)
        #expect(error?.message.isEmpty == false)
        #expect(transport.requests.isEmpty)
        #expect(try folder.names == ["file", "folder", "link-to-device"])
    }

    @Test func sendsNothingWhenTheNameIsTooLong() async throws {
        let transport = ScriptedTransport(.text("new"))
        let client = NetworkClient(transport)
        let longest = String(repeating: "n", count: 255)
        let error = await #expect(throws: NetworkClientError.self) {
            try await client.download(request, to: folder[longest + "n"])
        }
        #expect(error?.code == .fileFailed)
        #expect((error?.cause as? POSIXError)?.code == .ENAMETOOLONG)
        #expect(transport.requests.isEmpty)
        try await client.download(request, to: folder[longest])
        #expect(try folder.names == [longest])
    }

    /// With the slash before it the mark is one character.
    @Test(arguments: [false, true]) func aNameMayBeginWithAMarkThatCombines(_ resumes: Bool) async throws {
        try FileManager.default.createDirectory(at: folder["folder"], withIntermediateDirectories: false)
        let folder = folder
        let during = Recorder<[String]>()
        let transport = ScriptedTransport(
            .source { ClosureSource(["new"]) { during.add((try? folder.names) ?? []) } })
        var options = DownloadOptions()
        options.resumes = resumes
        try await NetworkClient(transport).download(request, to: folder["folder/\u{301}a.txt"], options: options)
        #expect(Set(during.all) == [["folder"]])
        #expect(try folder.text("folder/\u{301}a.txt") == "new")
    }

    @Test(arguments: [0o640, 0o600, 0o444], [false, true])
    func aFileThatIsReplacedHandsItsPermissionsOn(_ expected: Int, _ resumes: Bool) async throws {
        try Data("old".utf8).write(to: folder["a.txt"])
        try FileManager.default.setAttributes([.posixPermissions: expected], ofItemAtPath: folder["a.txt"].path)
        let folder = folder
        let meanwhile = Recorder<Int?>()
        let look: @Sendable () -> Void = {
            for name in (try? folder.names) ?? [] where !["a.txt", "a.txt.strata-part.info"].contains(name) {
                meanwhile.add(try? folder.attribute(.posixPermissions, of: name))
            }
        }
        var options = DownloadOptions()
        options.resumes = resumes
        let transport = ScriptedTransport(.source { ClosureSource(["new"], look: look) })
        try await NetworkClient(transport).download(request, to: folder["a.txt"], options: options)
        #expect(try folder.text("a.txt") == "new")
        #expect(try folder.attribute(.posixPermissions, of: "a.txt") == expected)
        #expect(Set(meanwhile.all) == [0o600])
    }

    /// Neither a file that is not replaced nor a folder that cannot be, however little they allow.
    @Test(arguments: [false, true]) func whatStaysCanBeWrittenToWhateverCameMeanwhile(_ replaces: Bool) async throws {
        let taken = folder["a.txt"]
        let transport = ScriptedTransport(
            .source(fields: [.eTag: "\"v1\""]) {
                ClosureSource(["new"]) {
                    if replaces {
                        try? FileManager.default.createDirectory(at: taken, withIntermediateDirectories: false)
                    } else {
                        try? Data("theirs".utf8).write(to: taken)
                    }
                    try? FileManager.default.setAttributes([.posixPermissions: 0o500], ofItemAtPath: taken.path)
                }
            })
        var options = DownloadOptions.resuming
        options.replacesExisting = replaces
        await #expect(throws: NetworkClientError.self) {
            try await NetworkClient(transport).download(request, to: taken, options: options)
        }
        #expect(try folder.text("a.txt.strata-part") == "new")
        let permissions = try #require(try folder.attribute(.posixPermissions, of: "a.txt.strata-part"))
        #expect(permissions & 0o600 == 0o600)
    }

    /// One that files of the process do not get by themselves, and may be given.
    private static let otherGroup: Int? = {
        if getuid() == 0 { return 1 }
        var groups = [gid_t](repeating: 0, count: 64)
        let count = getgroups(Int32(groups.count), &groups)
        return groups.prefix(Int(max(0, count))).first { $0 != getegid() }.map(Int.init)
    }()

    @Test(.enabled(if: otherGroup != nil)) func aFileThatIsReplacedHandsItsGroupOn() async throws {
        try Data("old".utf8).write(to: folder["a.txt"])
        let group = try #require(Self.otherGroup)
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o640, .groupOwnerAccountID: group], ofItemAtPath: folder["a.txt"].path)
        try await NetworkClient(ScriptedTransport(.text("new"))).download(request, to: folder["a.txt"])
        #expect(try folder.text("a.txt") == "new")
        #expect(try folder.attribute(.groupOwnerAccountID, of: "a.txt") == group)
        #expect(try folder.attribute(.posixPermissions, of: "a.txt") == 0o640)
    }

    @Test(arguments: ["folder/..%2Fa.txt", "a.txt%00.png"])
    func anEscapedSlashOrNULLeadsToNoOtherFile(_ path: String) async throws {
        try FileManager.default.createDirectory(at: folder["folder"], withIntermediateDirectories: false)
        let url = try #require(URL(string: "file://\(folder.url.path)/\(path)"))
        let transport = ScriptedTransport(.text("new"))
        await #expect { try await NetworkClient(transport).download(request, to: url) } throws: {
            ($0 as? NetworkClientError)?.code == .fileFailed
        }
        #expect(transport.requests.isEmpty)
        #expect(try folder.names == ["folder"])
    }

    @Test func aRequestThatCannotBeMadeFailsAsElsewhere() async throws {
        let request = PlainRequest(path: "http://[x", method: .get)
        let error = await #expect(throws: NetworkClientError.self) {
            try await NetworkClient(ScriptedTransport()).download(request, to: folder["a.txt"])
        }
        #expect(error?.code == .malformedURL)
        #expect(error?.exchange?.attempts.isEmpty == true)
    }

    @Test func takesNoOtherURLThanAFiles() async throws {
        let url = try #require(URL(string: "https://h.example/a"))
        await #expect { try await NetworkClient(ScriptedTransport()).download(request, to: url) } throws: {
            ($0 as? NetworkClientError)?.code == .fileFailed
        }
    }

    @Test func leavesNothingWhenItIsCancelled() async throws {
        let transport = ScriptedTransport(.source { HangingSource("one ") })
        let (folder, request) = (folder, request)
        let updates = ProgressUpdates(interval: .zero)
        let task = Task { try await NetworkClient(transport).download(request, to: folder["a.txt"], progress: updates) }
        for await progress in updates where progress.completed == 4 { task.cancel() }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(try folder.names == [])
    }

    @Test func savesAnEmptyBody() async throws {
        let file = try await NetworkClient(ScriptedTransport(.status(204))).download(request, to: folder["a.txt"])
        #expect(file.byteCount == 0)
        #expect(try folder.text("a.txt") == "")
    }

    // MARK: - The disk

    /// A folder takes no link, as nothing does on a file system without them, and cannot be put in a file's place either.
    @Test func aNameThatWasTakenInVainIsFreeAgain() throws {
        try FileManager.default.createDirectory(at: folder["folder"], withIntermediateDirectories: false)
        let error = #expect(throws: NetworkClientError.self) {
            try OutputFile.move(folder["folder"].path, to: folder["a.txt"].path, replaces: false)
        }
        #expect(error?.code == .fileFailed)
        #expect(try folder.names == ["folder"])
    }

    @Test(.enabled(if: FileManager.default.fileExists(atPath: "/dev/full"), "there is no /dev/full"))
    func saysThatTheDiskIsFull() throws {
        let file = try OutputFile(path: "/dev/full", isNew: false)
        let error = #expect(throws: NetworkClientError.self) { try file.write(Data(count: 100)) }
        #expect(error?.code == .fileFailed)
        #expect((error?.cause as? POSIXError)?.code == .ENOSPC)
        #expect(error?.message.contains("No space left") == true)
    }

    @Test func asksForTheBytesThatTheServerHas() async throws {
        let transport = ScriptedTransport(.text("one"))
        var unpacked = DownloadOptions()
        unpacked.acceptsContentCodings = true
        var both = DownloadOptions.resuming
        both.acceptsContentCodings = true
        for options in [DownloadOptions(), .resuming, both, unpacked] {
            try await NetworkClient(transport).download(request, to: folder["a.txt"], options: options)
        }
        let own = PlainRequest(path: "file", method: .get, headerFields: [.acceptEncoding: "br"])
        try await NetworkClient(transport).download(own, to: folder["a.txt"])
        let post = PlainRequest(path: "file", method: .post)
        try await NetworkClient(transport).download(post, to: folder["a.txt"])
        #expect(
            transport.requests.map { $0["accept-encoding"] } == [
                "identity", "identity", "identity", nil, "br", "identity",
            ])
    }
}

/// Pieces of text, with a look at the world before each.
private final class ClosureSource: BodySource {
    private let source: PiecesSource
    private let look: @Sendable () -> Void

    init(_ texts: [String], look: @escaping @Sendable () -> Void) {
        source = PiecesSource(texts.map { Data($0.utf8) })
        self.look = look
    }

    func next() throws -> Data? {
        look()
        return try source.next()
    }

    func cancel() { source.cancel() }
}
