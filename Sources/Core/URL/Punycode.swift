// SPDX-License-Identifier: Apache-2.0

/// Punycode (RFC 3492): one label of a host name in ASCII, without its `xn--`.
enum Punycode {
    /// `nil` when the label is too long for a host name or its numbers overflow (§6.4).
    static func encode(_ label: Substring) -> String? {
        let scalars = label.unicodeScalars.map(\.value)
        // RFC 1035 §2.3.4: 63 octets, `xn--` included. It also keeps `delta` far from overflowing below.
        guard scalars.count < 60 else { return nil }
        var output = scalars.filter { $0 < 0x80 }.compactMap(Unicode.Scalar.init).map(Character.init)
        let basicCount = output.count
        var handled = basicCount
        if basicCount > 0 { output.append("-") }
        var code: UInt32 = 0x80
        var delta: UInt32 = 0
        var bias: UInt32 = 72
        while handled < scalars.count {
            guard let next = scalars.filter({ $0 >= code }).min() else { return nil }
            let (step, overflow) = (next - code).multipliedReportingOverflow(by: UInt32(handled) + 1)
            let (sum, overflow2) = delta.addingReportingOverflow(step)
            if overflow || overflow2 { return nil }
            delta = sum
            code = next
            for scalar in scalars {
                if scalar < code { delta += 1 }
                guard scalar == code else { continue }
                var rest = delta
                var base: UInt32 = 36
                while true {
                    let threshold = base <= bias ? 1 : min(base - bias, 26)
                    if rest < threshold { break }
                    output.append(digit(threshold + (rest - threshold) % (36 - threshold)))
                    rest = (rest - threshold) / (36 - threshold)
                    base += 36
                }
                output.append(digit(rest))
                bias = adapted(delta, count: UInt32(handled) + 1, isFirst: handled == basicCount)
                delta = 0
                handled += 1
            }
            delta += 1
            code += 1
        }
        return output.count <= 59 ? String(output) : nil
    }

    /// §6.1.
    private static func adapted(_ delta: UInt32, count: UInt32, isFirst: Bool) -> UInt32 {
        var delta = isFirst ? delta / 700 : delta / 2
        delta += delta / count
        var steps: UInt32 = 0
        while delta > 455 {
            delta /= 35
            steps += 36
        }
        return steps + 36 * delta / (delta + 38)
    }

    private static func digit(_ value: UInt32) -> Character {
        Character(Unicode.Scalar(UInt8(value < 26 ? 0x61 + value : 0x30 + value - 26)))
    }
}
