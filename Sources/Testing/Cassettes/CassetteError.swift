// SPDX-License-Identifier: Apache-2.0

/// What is wrong with a cassette, or with a test that uses one. It shows no secret.
public struct CassetteError: Error, Sendable, CustomStringConvertible {
    public let kind: Kind
    /// The file's name.
    public let cassette: String
    /// The place of the entry in the file, the first being 0; `nil` for the file as a whole.
    public let entry: Int?
    /// Where in the file, such as `log.entries[3].response.status`.
    public let member: String?
    /// One or more sentences for a person.
    public let message: String

    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum Kind: Hashable, Sendable {
        /// There is no such file.
        case missing
        /// The file is not HAR, or a member is not what it has to be.
        case damaged
        /// A file could not be read or written.
        case fileFailed
        /// A request that no entry answers.
        case unmatched
        /// Entries that no request asked for.
        case unused
        /// Recording is asked for where it must not happen, or replay where nothing was set up.
        case misuse
    }

    init(_ kind: Kind, _ cassette: String, entry: Int? = nil, member: String? = nil, _ message: String) {
        self.kind = kind
        self.cassette = cassette
        self.entry = entry
        self.member = member
        self.message = message
    }

    public var description: String {
        "\(cassette): \(member.map { "\($0): " } ?? "")\(message)"
    }
}
