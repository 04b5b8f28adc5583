// SPDX-License-Identifier: Apache-2.0

/// The colours of a terminal, or none.
package struct Palette: Sendable {
    package enum Role: String, Sendable {
        case key = "94"
        case string = "32"
        case number = "36"
        case literal = "35"
        case fieldName = "34"
        case success = "1;32"
        case redirection = "1;33"
        case failure = "1;31"
        case faint = "2"
    }

    package let isOn: Bool

    package init(isOn: Bool) { self.isOn = isOn }

    package func paint(_ text: String, _ role: Role) -> String {
        isOn && !text.isEmpty ? "\u{1B}[\(role.rawValue)m\(text)\u{1B}[0m" : text
    }

    package func role(ofStatus code: Int) -> Role {
        code < 300 ? .success : code < 400 ? .redirection : .failure
    }
}
