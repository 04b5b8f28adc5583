// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes

/// Which statuses count as success.
public struct StatusPolicy: Hashable, Sendable {
    private let ranges: [ClosedRange<Int>]?

    /// 200 to 299 (RFC 9110 §15.3).
    public static let success = StatusPolicy(ranges: [200...299])
    /// Every status is handed to the caller.
    public static let any = StatusPolicy(ranges: nil)
    /// These and no others: `.ranges(400..<500)` refuses 200.
    public static func ranges(_ ranges: Range<Int>...) -> StatusPolicy { StatusPolicy(ranges: ranges) }
    /// These and no others: `.ranges(400...499)` refuses 200.
    public static func ranges(_ ranges: ClosedRange<Int>...) -> StatusPolicy { StatusPolicy(ranges: ranges) }
    /// These and no others: `.codes(404)` refuses 200.
    public static func codes(_ codes: Int...) -> StatusPolicy { StatusPolicy(ranges: codes.map { $0...$0 }) }

    package init(ranges: [ClosedRange<Int>]?) { self.ranges = ranges }

    package init(ranges: [Range<Int>]) {
        self.ranges = ranges.filter { !$0.isEmpty }.map { ClosedRange($0) }
    }

    public func accepts(_ status: HTTPResponse.Status) -> Bool {
        guard let ranges else { return true }
        return ranges.contains { $0.contains(status.code) }
    }
}
