// SPDX-License-Identifier: Apache-2.0

/// The URL standard's IPv6 parser and serializer (RFC 5952: lower case, the longest run of zeros as `::`).
struct IPv6Address {
    private(set) var pieces: [UInt16]

    init?(_ text: Substring) {
        let halves = text.split(separator: "::", omittingEmptySubsequences: false)
        guard halves.count <= 2 else { return nil }
        guard let head = Self.pieces(halves[0], mayEndInIPv4: halves.count == 1) else { return nil }
        if halves.count == 1 {
            guard head.count == 8 else { return nil }
            pieces = head
        } else {
            guard let tail = Self.pieces(halves[1], mayEndInIPv4: true), head.count + tail.count < 8 else { return nil }
            pieces = head + [UInt16](repeating: 0, count: 8 - head.count - tail.count) + tail
        }
    }

    private static func pieces(_ text: Substring, mayEndInIPv4: Bool) -> [UInt16]? {
        if text.isEmpty { return [] }
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        var pieces: [UInt16] = []
        for (offset, part) in parts.enumerated() {
            if mayEndInIPv4, offset == parts.count - 1, part.contains(".") {
                let labels = part.split(separator: ".", omittingEmptySubsequences: false)
                guard labels.count == 4,
                    labels.allSatisfy({
                        $0.utf8.allSatisfy(\.isDigit) && ($0 == "0" || $0.utf8.first != 0x30)
                    }),
                    let address = IPv4Address(labels)
                else { return nil }
                pieces.append(UInt16(address.value >> 16))
                pieces.append(UInt16(address.value & 0xffff))
            } else {
                guard (1...4).contains(part.utf8.count),
                    part.utf8.allSatisfy({ $0.hexValue != nil }), let piece = UInt16(part, radix: 16)
                else { return nil }
                pieces.append(piece)
            }
        }
        return pieces
    }

    var text: String {
        var longest = 0..<0
        var start = 0
        while start < 8 {
            var end = start
            while end < 8, pieces[end] == 0 { end += 1 }
            if end - start > max(1, longest.count) { longest = start..<end }
            start = max(end, start + 1)
        }
        func joined(_ range: Range<Int>) -> String {
            pieces[range].map { String($0, radix: 16) }.joined(separator: ":")
        }
        if longest.isEmpty { return joined(0..<8) }
        return joined(0..<longest.lowerBound) + "::" + joined(longest.upperBound..<8)
    }
}
