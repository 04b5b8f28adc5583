// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Finds for places in a text where they are when secrets in it have been masked.
///
/// The two are the same but for what stands in the place of secrets. What follows a mark is looked for behind the secret.
struct Alignment {
    private let original: [UInt8]
    private let masked: [UInt8]

    private let mark: [UInt8]

    /// - Parameter mark: what stands in the place of secrets.
    init(_ original: Data, _ masked: Data, mark: String) {
        self.mark = Array(mark.utf8)
        self.original = [UInt8](original)
        self.masked = [UInt8](masked)
    }

    /// How much of what follows a mark is looked for.
    private static let anchor = 24

    /// - Parameter offsets: in order.
    func places(of offsets: [Int]) -> [Int] {
        if original == masked { return offsets }
        let segments = segments()
        var places: [Int] = []
        var index = 0
        for offset in offsets {
            if offset >= original.count {
                places.append(masked.count)
                continue
            }
            while index + 1 < segments.count, segments[index + 1].original <= offset { index += 1 }
            let segment = segments[index]
            // Within a secret a place is at the beginning of its mark.
            places.append(segment.masked + min(offset - segment.original, segment.count))
        }
        return places
    }

    private struct Segment {
        var original: Int
        var masked: Int
        /// How many bytes are the same.
        var count: Int
    }

    private func segments() -> [Segment] {
        var segments: [Segment] = []
        var (i, j) = (0, 0)
        while true {
            var segment = Segment(original: i, masked: j, count: 0)
            while i < original.count, j < masked.count, original[i] == masked[j] {
                i += 1
                j += 1
            }
            segment.count = i - segment.original
            segments.append(segment)
            guard j < masked.count, let end = endOfMark(from: j) else { return segments }
            let following = masked[end...].prefix(Self.anchor).prefix { $0 != mark[0] }
            guard !following.isEmpty, let found = firstPlace(of: following, from: i) else { return segments }
            (i, j) = (found, end)
        }
    }

    /// A mark may begin with what the secret begins with.
    private func endOfMark(from position: Int) -> Int? {
        guard !mark.isEmpty else { return nil }
        var start = max(0, position - mark.count + 1)
        while start + mark.count <= masked.count {
            if masked[start...].starts(with: mark), start + mark.count > position { return start + mark.count }
            start += 1
        }
        return nil
    }

    private func firstPlace(of wanted: ArraySlice<UInt8>, from position: Int) -> Int? {
        guard let first = wanted.first else { return nil }
        var position = position
        while position + wanted.count <= original.count {
            if original[position] == first, original[position...].starts(with: wanted) { return position }
            position += 1
        }
        return nil
    }
}
