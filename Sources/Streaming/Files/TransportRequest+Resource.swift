// SPDX-License-Identifier: Apache-2.0

import StrataCore

extension TransportRequest {
    /// Identifies what is downloaded: the URL, with a checksum in place of its query. Items that sign a URL do not
    /// count, because they are different each time, and neither do other secrets. `key` and `code`, which may name the
    /// resource, do count, unless `sensitiveQueryItems` has them.
    var resource: String {
        let parts = url.split(separator: "?", maxSplits: 1)
        guard parts.count == 2 else { return head.urlWithoutQuery }
        var items = parts[1].split(separator: "&").map { (name: PercentEncoding.itemName($0), text: $0) }
        let names = items.map { SecretNames.normalized($0.name) }
        var ignored = Set(options.sensitiveQueryItems.map { SecretNames.normalized($0) })
        if names.contains("sig") { ignored.formUnion(Self.besideSig) }
        if names.contains(where: { $0.hasSuffix("signature") }) { ignored.formUnion(Self.besideSignature) }
        items.removeAll { SecretNames.isSecret($0.name) || ignored.contains(SecretNames.normalized($0.name)) }
        // FNV-1a.
        let checksum = items.map(\.text).joined(separator: "&").utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) {
            ($0 ^ UInt64($1)) &* 0x100_0000_01B3
        }
        return "\(head.urlWithoutQuery)?\(String(checksum, radix: 16))"
    }

    /// How long a `sig` holds: Azure.
    private static let besideSig = ["se", "ske", "skt", "st"]
    /// How long a `Signature`, an `X-Amz-Signature` or an `X-Goog-Signature` holds: CloudFront, S3, Google Cloud.
    private static let besideSignature = [
        "expires", "policy", "xamzdate", "xamzexpires", "xgoogdate", "xgoogexpires",
    ]
}
