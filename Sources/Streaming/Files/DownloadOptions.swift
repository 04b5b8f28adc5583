// SPDX-License-Identifier: Apache-2.0

/// How a download is saved.
public struct DownloadOptions: Hashable, Sendable {
    /// Whether a download that fails or is cancelled keeps what has come, and the next to the same place goes on there.
    /// Default: no.
    ///
    /// The bytes wait in `NAME.strata-part`, beside it `NAME.strata-part.info` with the URL (a checksum in place of its
    /// query) and the validator that the server gave. The next call asks for the rest with `Range` and `If-Range` (RFC
    /// 9110 §13.1.5, §14.2). It starts over when the URL is another, and not merely signed anew, when the resource has
    /// changed, when the server ignores ranges, or without a strong validator. Bytes without their `.info` are no part
    /// of a download: they are left alone, and the call fails with code `fileFailed`. Where the names of files have 255
    /// bytes at most, `NAME` has 238.
    ///
    /// Content codings are declined, since a part of an encoded body cannot be decoded; nothing is kept when the server
    /// applies one all the same, which `CurlTransport` then leaves in the file and URLSession undoes. Only for GET.
    public var resumes = false
    /// Whether a file that has the name already is replaced. Default: yes. If not, the call fails
    /// before anything is sent.
    public var replacesExisting = true

    public init() {}

    /// Keeps what has come, and goes on from there.
    public static let resuming: DownloadOptions = {
        var options = DownloadOptions()
        options.resumes = true
        return options
    }()
}
