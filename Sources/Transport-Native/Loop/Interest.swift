// SPDX-License-Identifier: Apache-2.0

/// What is waited for on a socket.
struct Interest: OptionSet {
    let rawValue: UInt8
    static let input = Interest(rawValue: 1 << 0)
    static let output = Interest(rawValue: 1 << 1)
}

/// What has happened to a socket.
struct Happened: OptionSet {
    let rawValue: UInt8
    static let input = Happened(rawValue: 1 << 0)
    static let output = Happened(rawValue: 1 << 1)
    /// An error, or the end in both directions: told also when nothing is waited for.
    static let failure = Happened(rawValue: 1 << 2)
}
