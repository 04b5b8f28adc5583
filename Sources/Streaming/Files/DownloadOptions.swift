// SPDX-License-Identifier: Apache-2.0

/// How a download is saved.
public struct DownloadOptions: Hashable, Sendable {
    /// Whether a download that fails or is cancelled keeps the bytes that have come, so that the next download to the
    /// same place resumes it. Default: no.
    ///
    /// The bytes are kept in `NAME.strata-part`. Beside it, `NAME.strata-part.info` has the URL, with a checksum in
    /// place of its query, and the validator that the server gave. The next call asks for the rest with `Range` and
    /// `If-Range` (RFC 9110 §13.1.5, §14.2).
    ///
    /// It starts over when the URL has changed in more than its signature, when the resource has changed, when the
    /// server ignores ranges, and when there is no strong validator. A `NAME.strata-part` without its `.info` is not
    /// taken for a download: it is left alone, and the call fails with code `fileFailed`. Where file names have 255
    /// bytes at most, `NAME` may have 238.
    ///
    /// When the server applies a content coding, although the request declines them (``acceptsContentCodings``), nothing
    /// is kept. Only for GET.
    public var resumes = false
    /// How many requests a download that ``resumes`` may take, the first included, when its body breaks off or its connection
    /// cannot be made. Default: 1.
    ///
    /// Each goes on where the file ends, and starts over where a later download would. Before the second there is a second's
    /// wait, and twice as much before each that follows, up to half a minute. A wait that would not fit in the deadline is not
    /// begun.
    public var attempts = 1
    /// Whether the server may compress the body, which is then saved decoded. Default: no, the request declines content
    /// codings (`Accept-Encoding: identity`), and the file has the bytes that the server has: a `.tar.gz` that is declared
    /// as an encoded `.tar` stays packed.
    ///
    /// When the server applies a coding all the same, URLSession saves the decoded bytes, the other transports the
    /// encoded ones. A download that ``resumes`` declines them in any case, because a part of an encoded body cannot be decoded.
    /// An `Accept-Encoding` of the request's own is sent as it is.
    public var acceptsContentCodings = false
    /// Whether an existing file of the name is replaced. Default: yes. If not, the call fails before anything is sent.
    public var replacesExisting = true

    public init() {}

    /// Keeps what has come, and goes on from there.
    public static let resuming: DownloadOptions = {
        var options = DownloadOptions()
        options.resumes = true
        return options
    }()

    /// Goes on by itself when the body breaks off, and keeps what has come when that does not help; see ``attempts``.
    public static func resuming(attempts: Int) -> DownloadOptions {
        var options = DownloadOptions.resuming
        options.attempts = attempts
        return options
    }
}
