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
    /// The request declines content codings, because a part of an encoded body cannot be decoded. When the server
    /// applies one all the same, nothing is kept; `CurlTransport` then saves the encoded bytes, URLSession the decoded
    /// ones. Only for GET.
    public var resumes = false
    /// Whether an existing file of the name is replaced. Default: yes. If not, the call fails before anything is sent.
    public var replacesExisting = true

    public init() {}

    /// Keeps what has come, and goes on from there.
    public static let resuming: DownloadOptions = {
        var options = DownloadOptions()
        options.resumes = true
        return options
    }()
}
