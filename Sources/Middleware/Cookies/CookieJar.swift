// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
public import StrataCore
public import StrataPublicSuffixes
import Synchronization

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The cookies of one client, by the rules of RFC 6265bis. ``CookieMiddleware`` fills it and asks it.
///
///     let jar = try CookieJar(file: folder.appending(path: "cookies.json"))
///     configuration.middleware = [RetryMiddleware(), CookieMiddleware(jar)]
///     …
///     jar.removeAll()  // signed out
///
/// Safe to use from any number of tasks: each change is made as a whole. A jar has no part of another's cookies.
///
/// As a `Codable` value it is all of its cookies, session cookies too; what is decoded has the default options.
public final class CookieJar: Sendable {
    /// What a jar takes in, and how much of it.
    public struct Options: Sendable {
        /// The domains for which no cookie can be set. Default: the list that comes with the package.
        public var publicSuffixes = PublicSuffixList.bundled
        /// Whether `http` to this machine (`localhost`, `127.0.0.1`, `[::1]`) counts as secure, so that cookies with the
        /// attribute `Secure` are kept and sent there. Default: no.
        public var loopbackIsSecure = false
        /// Whether a `Set-Cookie` without `=` or without a name before it sets a cookie that has a value alone. Default: no;
        /// RFC 6265bis lets clients ignore any cookie.
        public var acceptsNameless = false
        /// How many cookies a domain may have. Default: 150.
        public var maximumPerDomain = 150
        /// How many cookies the jar may have. Default: 3000.
        public var maximumCount = 3000
        /// The longest time for which a cookie is kept, whatever the server says. Default: 400 days (RFC 6265bis §5.5).
        public var longestLifetime = Duration.seconds(400 * 86_400)

        public init() {}
    }

    private struct State {
        var collection: CookieCollection
        /// Counts the changes, so that a file is written only when there are new ones.
        var changes = 0
        var isSaving = false
    }

    package let options: Options
    private let file: CookieFile?
    private let state: Mutex<State>

    private init(options: Options, file: CookieFile?, cookies: [Cookie], now: Date = Date()) {
        var collection = CookieCollection(options: options)
        for cookie in cookies { collection.insert(cookie, now: now) }
        self.options = options
        self.file = file
        state = Mutex(State(collection: collection))
    }

    /// A jar in memory.
    public convenience init(_ cookies: [Cookie] = [], options: Options = Options()) {
        self.init(options: options, file: nil, cookies: cookies)
    }

    /// A jar that begins with the cookies in a file, and writes them there after each response that changes them.
    ///
    /// The file belongs to its owner alone (mode 0600) and is replaced as a whole. It is written by a task in the
    /// background, and changes that come meanwhile are written together; ``flush()`` waits. One jar at a time may use a
    /// file: another one would replace what this one has written.
    ///
    /// - Parameters:
    ///   - file: its folder has to exist. Without the file the jar begins empty.
    ///   - keepsSessionCookies: whether cookies without an expiry are written too. Default: no.
    ///   - options: what is accepted, and how much is kept.
    ///   - onSaveFailure: told why the file could not be written. The next change tries again.
    /// - Throws: a `POSIXError` when the file cannot be read; a `DecodingError` when it holds something else.
    public convenience init(
        file: URL, keepsSessionCookies: Bool = false, options: Options = Options(),
        onSaveFailure: (@Sendable (any Error) -> Void)? = nil
    ) throws {
        let file = CookieFile(path: file.path, keepsSessionCookies: keepsSessionCookies, onFailure: onSaveFailure)
        self.init(options: options, file: file, cookies: try file.load())
    }

    /// All cookies, in the order in which they were first set.
    public var cookies: [Cookie] { state.withLock { $0.collection.cookies } }

    /// The cookies that a request to the URL would have, in their order: none when it is not an `http` or `https` URL.
    public func cookies(for url: URL, now: Date = Date()) -> [Cookie] {
        guard let scope = scope(of: url) else { return [] }
        return cookies(for: scope, now: now)
    }

    /// Takes in the `Set-Cookie` fields of a response from the URL; what may not be set there is ignored.
    public func receive(_ fields: HTTPFields, from url: URL, now: Date = Date()) {
        guard let scope = scope(of: url) else { return }
        receive(fields, from: scope, now: now)
    }

    /// Puts a cookie in, whatever the rules for those of servers say, in place of one with its name, domain and path. One that
    /// would be read as another, or as several, for a `;` or a control character in it, is left out.
    public func insert(_ cookie: Cookie, now: Date = Date()) {
        change { $0.insert(cookie, now: now) }
    }

    /// Removes cookies: all of them unless told otherwise.
    public func removeAll(where condition: (Cookie) -> Bool = { _ in true }) {
        change { $0.removeAll(where: condition) }
    }

    /// Writes the file now, if the jar has one and it lacks a change.
    ///
    /// - Throws: a `POSIXError` when it cannot be written.
    public func flush() throws {
        try file?.save { state.withLock { ($0.collection.cookies, $0.changes) } }
    }
}

extension CookieJar {
    package func scope(of origin: Origin, path: String?) -> CookieScope {
        CookieScope(origin, path: path, loopbackIsSecure: options.loopbackIsSecure)
    }

    private func scope(of url: URL) -> CookieScope? {
        guard let origin = Origin(url), let url = try? RequestURL(url.absoluteString) else { return nil }
        return scope(of: origin, path: url.path)
    }

    func cookies(for scope: CookieScope, now: Date) -> [Cookie] {
        state.withLock { $0.collection.count == 0 ? [] : $0.collection.cookies(for: scope, now: now) }
    }

    func receive(_ fields: HTTPFields, from scope: CookieScope, now: Date) {
        let received = fields[fields: .setCookie].compactMap { SetCookie($0.withUnsafeBytesOfValue { Array($0) }) }
        guard !received.isEmpty else { return }
        change { collection in
            var isChanged = false
            for cookie in received {
                guard let cookie = collection.accept(cookie, from: scope, now: now) else { continue }
                if collection.insert(cookie, now: now) { isChanged = true }
            }
            return isChanged
        }
    }

    /// - Parameter change: returns whether it changed anything.
    private func change(_ change: (inout CookieCollection) -> Bool) {
        let mustSave = state.withLock { state in
            guard change(&state.collection) else { return false }
            state.changes += 1
            defer { state.isSaving = file != nil }
            return file != nil && !state.isSaving
        }
        if mustSave { Task.detached(priority: .utility) { [self] in saveChanges() } }
    }

    /// Writes until there is nothing new.
    private func saveChanges() {
        var written = 0
        repeat {
            written = state.withLock(\.changes)
            do { try flush() } catch { file?.onFailure?(error) }
        } while state.withLock { state in
            state.isSaving = state.changes > written
            return state.isSaving
        }
    }
}

extension CookieJar: Codable {
    @_documentation(visibility: internal)
    public convenience init(from decoder: any Decoder) throws {
        self.init(try CookieList(from: decoder).cookies)
    }

    @_documentation(visibility: internal)
    public func encode(to encoder: any Encoder) throws { try CookieList(cookies: cookies).encode(to: encoder) }
}

extension CookieJar: DumpedAsDescription {
    /// `3 cookies`.
    public var description: String { "\(state.withLock { $0.collection.count }) cookies" }
}
