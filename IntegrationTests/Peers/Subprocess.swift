// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

/// A process of ours. `Foundation.Process` hands every open descriptor down and needs a run loop to see the end.
final class Subprocess: Sendable {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    private let identifier: pid_t
    private let input: Mutex<Int32?>

    private init(identifier: pid_t, input: Int32) {
        self.identifier = identifier
        self.input = Mutex(input)
    }

    /// A pipe that is open when another process begins would stay open in that.
    private static let starting = Mutex(())

    /// - Parameter arguments: the path first.
    static func start(_ arguments: [String], in folder: URL) throws -> Subprocess {
        try starting.withLock { _ in
            var ends: [Int32] = [-1, -1]
            guard pipe(&ends) == 0 else { throw Failure(description: "no pipe") }
            for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
            defer { close(ends[0]) }
            do {
                return Subprocess(identifier: try spawn(arguments, in: folder, input: ends[0]), input: ends[1])
            } catch {
                close(ends[1])
                throw error
            }
        }
    }

    /// Runs a command to its end.
    ///
    /// - Throws: what it wrote, when it fails.
    static func run(_ arguments: [String], in folder: URL) throws {
        let end = try end(of: arguments, in: folder)
        guard end == .exit(0) else { throw Failure(description: "\(arguments.joined(separator: " ")) failed: \(end)") }
    }

    /// How a process ended.
    enum End: Hashable, Sendable {
        case exit(Int32), signal(Int32)
    }

    /// Runs a command, and waits for its end with the thread blocked.
    static func end(of arguments: [String], in folder: URL) throws -> End {
        let process = try start(arguments, in: folder)
        process.closeInput()
        var status: Int32 = 0
        while waitpid(process.identifier, &status, 0) < 0 && errno == EINTR {}
        return status & 0x7f == 0 ? .exit(status >> 8 & 0xff) : .signal(status & 0x7f)
    }

    func closeInput() {
        input.withLock { input in
            if let descriptor = input { close(descriptor) }
            input = nil
        }
    }

    private static func spawn(_ arguments: [String], in folder: URL, input: Int32) throws -> pid_t {
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
        for descriptor in [Int32(1), 2] {
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
