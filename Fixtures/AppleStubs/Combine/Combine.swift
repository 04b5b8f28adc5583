// SPDX-License-Identifier: Apache-2.0

public import Dispatch
// Open source, with Combine's names.
@_exported public import OpenCombine

extension DispatchQueue: @retroactive Scheduler {
    public struct SchedulerTimeType: Strideable {
        public struct Stride: SchedulerTimeIntervalConvertible, Comparable, SignedNumeric, Sendable {
            public var magnitude: Int
            public init(integerLiteral value: Int) { magnitude = value }
            public init?<T: BinaryInteger>(exactly source: T) { nil }
            public static func < (first: Stride, second: Stride) -> Bool { first.magnitude < second.magnitude }
            public static func + (first: Stride, second: Stride) -> Stride { first }
            public static func - (first: Stride, second: Stride) -> Stride { first }
            public static func * (first: Stride, second: Stride) -> Stride { first }
            public static func *= (first: inout Stride, second: Stride) {}
            public static func seconds(_ count: Int) -> Stride { 0 }
            public static func seconds(_ count: Double) -> Stride { 0 }
            public static func milliseconds(_ count: Int) -> Stride { 0 }
            public static func microseconds(_ count: Int) -> Stride { 0 }
            public static func nanoseconds(_ count: Int) -> Stride { 0 }
        }
        public func distance(to other: SchedulerTimeType) -> Stride { 0 }
        public func advanced(by stride: Stride) -> SchedulerTimeType { self }
    }
    public struct SchedulerOptions {}

    public var now: SchedulerTimeType { SchedulerTimeType() }
    public var minimumTolerance: SchedulerTimeType.Stride { 0 }
    public func schedule(options: SchedulerOptions?, _ action: @escaping () -> Void) {}
    public func schedule(
        after date: SchedulerTimeType, tolerance: SchedulerTimeType.Stride, options: SchedulerOptions?,
        _ action: @escaping () -> Void
    ) {}
    public func schedule(
        after date: SchedulerTimeType, interval: SchedulerTimeType.Stride, tolerance: SchedulerTimeType.Stride,
        options: SchedulerOptions?, _ action: @escaping () -> Void
    ) -> any Cancellable { AnyCancellable {} }
}
