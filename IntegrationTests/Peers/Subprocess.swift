// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

/// A process of ours. `Foundation.Process` hands every open descriptor down and needs a run loop to see the end.
final class Subprocess: Sendable {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    let identifier: pid_t
    private let input: Mutex<Int32?>
    /// What it says, when somebody is to read it.
    private let output: FileHandle?
    private let unread = Mutex<[UInt8]>([])

    private init(identifier: pid_t, input: Int32, output: FileHandle?) {
        self.identifier = identifier
        self.input = Mutex(input)
        self.output = output
    }

    /// The path of a program of this package, which lies beside that of the tests.
    static func program(_ name: String) -> String? {
        let path = Bundle.main.executableURL?.deletingLastPathComponent().appending(path: name).path
        return path.flatMap { FileManager.default.isExecutableFile(atPath: $0) ? $0 : nil }
    }

    /// A pipe that is open when another process begins would stay open in that.
    private static let starting = Mutex(())

    /// - Parameters:
    ///   - arguments: the path first.
    ///   - isRead: whether its lines are read by ``nextLine()``.
    static func start(_ arguments: [String], in folder: URL, isRead: Bool = false) throws -> Subprocess {
        try starting.withLock { _ in
            let (input, output) = (try makePipe(), isRead ? try makePipe() : nil)
            defer {
                close(input.read)
                if let output { close(output.write) }
            }
            do {
                return Subprocess(
                    identifier: try spawn(arguments, in: folder, input: input.read, output: output?.write),
                    input: input.write, output: output.map { FileHandle(fileDescriptor: $0.read, closeOnDealloc: true) }
                )
            } catch {
                close(input.write)
                if let output { close(output.read) }
                throw error
            }
        }
    }

    private static func makePipe() throws -> (read: Int32, write: Int32) {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw Failure(description: "no pipe") }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return (ends[0], ends[1])
    }

    /// The next line that it says, without its end, or what is left of one; `nil` when it has ended. Waits with the thread blocked.
    func nextLine() -> String? {
        unread.withLock { unread in
            while true {
                if let end = unread.firstIndex(of: UInt8(ascii: "\n")) {
                    defer { unread.removeFirst(end + 1) }
                    return String(decoding: unread[..<end], as: UTF8.self)
                }
                let more = output?.availableData ?? Data()
                if more.isEmpty {
                    defer { unread = [] }
                    return unread.isEmpty ? nil : String(decoding: unread, as: UTF8.self)
                }
                unread += more
            }
        }
    }

    func send(_ signal: Int32) { kill(identifier, signal) }

    /// Runs a command to its end.
    ///
    /// - Throws: what it wrote, when it fails.
    static func run(_ arguments: [String], in folder: URL) throws {
        let end = try end(of: arguments, in: folder)
        guard end == .exit(0) else { throw Failure(description: "\(arguments.joined(separator: " ")) failed: \(end)") }
    }

    /// Does what blocks on a thread of its own.
    static func blocking<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            // Not a queue of Dispatch: on Linux its threads are those of Swift's tasks, and few.
            Thread.detachNewThread { continuation.resume(with: Swift.Result { try body() }) }
        }
    }

    /// How a process ended.
    enum End: Hashable, Sendable {
        case exit(Int32), signal(Int32)
    }

    /// Runs a command, and waits for its end with the thread blocked.
    static func end(of arguments: [String], in folder: URL) throws -> End {
        let process = try start(arguments, in: folder)
        process.closeInput()
        return process.waitForEnd()
    }

    /// Waits with the thread blocked. To be called once.
    func waitForEnd() -> End {
        var status: Int32 = 0
        while waitpid(identifier, &status, 0) < 0 && errno == EINTR {}
        return status & 0x7f == 0 ? .exit(status >> 8 & 0xff) : .signal(status & 0x7f)
    }

    func closeInput() {
        input.withLock { input in
            if let descriptor = input { close(descriptor) }
            input = nil
        }
    }

    private static func spawn(
        _ arguments: [String], in folder: URL, input: Int32, output: Int32?
    ) throws -> pid_t {
        #if canImport(Darwin)
        var actions: posix_spawn_file_actions_t?
        var attributes: posix_spawnattr_t?
        #else
        var actions = posix_spawn_file_actions_t()
        var attributes = posix_spawnattr_t()
        #endif
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        // The threads of a task pool block every signal, and that would be handed down.
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        posix_spawn_file_actions_adddup2(&actions, input, 0)
        if let output { posix_spawn_file_actions_adddup2(&actions, output, 1) }
        for descriptor in output == nil ? [Int32(1), 2] : [2] {
            posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_WRONLY, 0)
        }
        let command = ["/bin/sh", "-c", #"cd "$0" && exec "$@""#, folder.path] + arguments
        let words = command.map { strdup($0) }
        defer { for word in words { free(word) } }
        var identifier = pid_t()
        let result = posix_spawn(&identifier, command[0], &actions, &attributes, words + [nil], environ)
        guard result == 0 else {
            throw Failure(description: "\(arguments[0]) cannot be started: \(String(cString: strerror(result)))")
        }
        return identifier
    }
}
