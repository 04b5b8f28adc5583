// SPDX-License-Identifier: Apache-2.0

import CStrataCurl
import CStrataSupport
import StrataCore
import StrataTransportSupport

/// The libcurl that the process runs with, which may be newer than the one it was built with.
struct CurlVersion: Sendable {
    /// `0xXXYYZZ`.
    var number: UInt32
    let text: String
    private let featureBits: Int32
    private let protocols: Set<String>
    /// Whether the certificates that it reports include their extensions, which they do with TLS libraries of the
    /// OpenSSL family.
    let showsExtensions: Bool

    /// Also prepares libcurl for use, once per process, as it asks for.
    static let current: CurlVersion = {
        strata_keep_openssl_at_exit()
        curl_global_init_mem(
            Int(strata_global_all), strata_malloc, strata_free, strata_realloc, strata_strdup, strata_calloc)
        let version = CurlVersion()
        if version.raisesBrokenPipe { ignoreBrokenPipeSignal() }
        return version
    }()

    private init() {
        guard let info = strata_version_info()?.pointee else {
            (number, text, featureBits, protocols, showsExtensions) = (0, "unknown", 0, [], true)
            return
        }
        number = info.version_num
        text = info.version.map { String(cString: $0) } ?? "unknown"
        featureBits = info.features
        var names: Set<String> = []
        if var entry = info.protocols {
            while let name = entry.pointee {
                names.insert(String(cString: name))
                entry += 1
            }
        }
        protocols = names
        showsExtensions = Self.showsExtensions(info.ssl_version.map { String(cString: $0) } ?? "")
    }

    /// - Parameter backends: the TLS libraries, such as `OpenSSL/3.0.19 (GnuTLS/3.7.9)`. Those in parentheses are not
    ///   in use.
    static func showsExtensions(_ backends: String) -> Bool {
        let active = backends.split(separator: " ").filter { !$0.hasPrefix("(") }
        return active.contains { name in
            ["OpenSSL", "LibreSSL", "BoringSSL", "AWS-LC", "quictls"].contains { name.hasPrefix($0) }
        }
    }

    var name: String { "libcurl/\(text)" }
    var hasTLS: Bool { protocols.contains("https") }
    var hasHTTP2: Bool { featureBits & CURL_VERSION_HTTP2 != 0 }
    /// Whether it can be told to speak HTTP/3 and nothing else, which it can since 7.88.0.
    var hasHTTP3: Bool { featureBits & CURL_VERSION_HTTP3 != 0 && number >= 0x07_58_00 }
    var hasAlternativeServices: Bool { featureBits & CURL_VERSION_ALTSVC != 0 }
    var hasUnixSockets: Bool { featureBits & CURL_VERSION_UNIX_SOCKETS != 0 }
    var hasHTTPSProxy: Bool { featureBits & CURL_VERSION_HTTPS_PROXY != 0 }

    /// Whether it lacks what the transport needs, such as the callback before each use of a connection (7.80.0).
    var isTooOld: Bool { number < 0x07_51_00 }

    static let oldestName = "libcurl/7.81.0"

    /// Whether it percent-decodes the name and password for a proxy, against its documentation: before 8.8.0.
    var decodesProxyCredentials: Bool { number < 0x08_08_00 }

    /// Whether it fails to report, while sending is paused, that the connection has ended. 7.88 fails to, 8.14 does
    /// not.
    var overlooksEndWhilePaused: Bool { number < 0x08_0E_00 }

    /// Whether a handle that is used again reads freed memory when the first field of a response begins with a blank:
    /// curl #11103, from 7.83.0 to 8.1.0.
    var keepsPointersToOldFields: Bool { (0x07_53_00...0x08_01_00).contains(number) }

    /// Whether it goes wrong about streams of HTTP/2: before 8.10.0. When a connection has several, until 8.0.1 an answer gets bytes
    /// of another, and one that the server has reset counts as whole or is waited for until a timeout; an upload that the server
    /// refuses takes the others with it. An answer that comes before the request's body may be waited for, too.
    var confusesStreams: Bool { number < 0x08_0A_00 }

    /// Whether an HTTP/2 connection is given several requests at a time.
    var sharesConnections: Bool { hasHTTP2 && !confusesStreams }

    /// Whether it asks for what comes on a connection over HTTP/1.1 while the body is paused, and keeps up to 64 MB of it: 8.5.0.
    var readsOnWhilePaused: Bool { number == 0x08_05_00 }

    /// Whether it checks only once a second whether idle connections have ended: from 8.22.0 on.
    var seldomLooksAtIdleConnections: Bool { number >= 0x08_16_00 }

    /// The value that means no folder of authorities. After 8.14.1, `nil` means the system's folder.
    static func emptyFolder(in number: UInt32) -> String? { number > 0x08_0E_01 ? "/dev/null" : nil }

    /// Whether TLS connections raise SIGPIPE when the peer has gone: OpenSSL wrote to them by itself before 7.87.0, and 8.9.0 and
    /// 8.9.1 raise it again.
    private var raisesBrokenPipe: Bool { number < 0x07_57_00 || (0x08_09_00...0x08_09_01).contains(number) }

    /// Whether a cleartext HTTP/2 connection cannot carry a second request. 7.87.0 to 7.88.1 send it as a new
    /// connection preface, which the server refuses.
    var losesPriorKnowledgeOnReuse: Bool { (0x07_57_00...0x07_58_01).contains(number) }
}
