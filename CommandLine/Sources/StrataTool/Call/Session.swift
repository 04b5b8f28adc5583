// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Where the cookies of a session are kept.
package enum Session {
    /// A name without a slash is a file of that name in the user's folder for the state of programs, which is made.
    package static func file(
        _ name: String, environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws -> URL {
        if name.contains("/") { return URL(filePath: name) }
        guard !name.isEmpty, !name.hasPrefix(".") else {
            throw UsageError("a session's name begins with a letter or digit")
        }
        let home =
            environment["XDG_STATE_HOME"].flatMap { $0.isEmpty ? nil : $0 }
            ?? "\(environment["HOME"] ?? NSHomeDirectory())/.local/state"
        let folder = URL(filePath: "\(home)/strata/sessions")
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        return folder.appending(path: "\(name).cookies")
    }
}
