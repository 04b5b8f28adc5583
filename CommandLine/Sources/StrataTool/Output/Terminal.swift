// SPDX-License-Identifier: Apache-2.0

import Foundation

/// What the process writes to.
package struct Terminal: Sendable {
    package var isOutput: Bool
    package var isError: Bool
    package var width: Int

    package init(isOutput: Bool, isError: Bool, width: Int = 80) {
        self.isOutput = isOutput
        self.isError = isError
        self.width = width
    }

    package static var current: Terminal {
        var size = winsize()
        let isError = isatty(STDERR_FILENO) == 1
        let hasSize = ioctl(isError ? STDERR_FILENO : STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0
        return Terminal(
            isOutput: isatty(STDOUT_FILENO) == 1, isError: isError, width: hasSize ? max(40, Int(size.ws_col)) : 80)
    }

    /// Asks for a password without showing it. `nil` when nobody can be asked.
    static func password(for user: String) -> String? {
        guard isatty(STDIN_FILENO) == 1, let answer = getpass("Password for \(TerminalText.safe(user)): ") else {
            return nil
        }
        return String(cString: answer)
    }
}
