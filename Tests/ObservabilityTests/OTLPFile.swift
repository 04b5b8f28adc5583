// SPDX-License-Identifier: Apache-2.0

import CoreMetrics
import Foundation
import InMemoryTracing
import MetricsTestKit
import StrataMiddleware
import StrataObservability
import Synchronization
import Tracing

/// What the in-memory backends have, as OpenTelemetry's exporters write it to a file: one line with the spans, and one with the
/// metrics, in the JSON of OTLP.
struct OTLPFile {
    let spans: [FinishedInMemorySpan]
    let metrics: TestMetrics

    /// Identifiers as OTLP has them: hexadecimal digits of 16 and 8 bytes.
    static func identifiers() -> InMemoryTracer.IDGenerator {
        let (traces, spans) = (Counter(digits: 32), Counter(digits: 16))
        return InMemoryTracer.IDGenerator(nextTraceID: { traces.next() }, nextSpanID: { spans.next() })
    }

    private final class Counter: Sendable {
        private let count = Mutex(0)
        private let digits: Int

        init(digits: Int) { self.digits = digits }

        func next() -> String {
            let number = count.withLock { count in
                count += 1
                return count
            }
            let text = String(number, radix: 16)
            return String(repeating: "0", count: digits - text.count) + text
        }
    }

    func text() throws -> Data {
        let scope: [String: Any] = ["name": "strata"]
        let ofSpans: [String: Any] = ["scope": scope, "spans": spans.map(span)]
        let ofMetrics: [String: Any] = ["scope": scope, "metrics": allMetrics]
        let lines: [[String: Any]] = [
            ["resourceSpans": [["scopeSpans": [ofSpans]]]], ["resourceMetrics": [["scopeMetrics": [ofMetrics]]]],
        ]
        return try lines.reduce(into: Data()) { text, line in
            text += try JSONSerialization.data(withJSONObject: line, options: [.sortedKeys, .withoutEscapingSlashes])
            text += Data("\n".utf8)
        }
    }

    // MARK: Spans

    private func span(_ span: FinishedInMemorySpan) -> [String: Any] {
        var attributes: [[String: Any]] = []
        span.attributes.forEach { attributes.append(Self.attribute($0, Self.value($1))) }
        var object: [String: Any] = [
            "traceId": span.traceID, "spanId": span.spanID, "name": span.operationName,
            "kind": span.kind == .client ? 3 : 1, "startTimeUnixNano": Self.nanoseconds(span.startInstant),
            "endTimeUnixNano": Self.nanoseconds(span.endInstant), "attributes": attributes,
            "status": span.status?.code == .error ? ["code": 2] : [:],
        ]
        object["parentSpanId"] = span.parentSpanID
        return object
    }

    private static func nanoseconds(_ instant: any TracerInstant) -> String { String(instant.nanosecondsSinceEpoch) }

    private static func attribute(_ key: String, _ value: [String: Any]) -> [String: Any] {
        ["key": key, "value": value]
    }

    /// 64-bit integers are text in the JSON of Protocol Buffers.
    private static func value(_ attribute: SpanAttribute) -> [String: Any] {
        switch attribute {
        case .int64(let number): ["intValue": String(number)]
        case .int32(let number): ["intValue": String(number)]
        case .bool(let flag): ["boolValue": flag]
        case .double(let number): ["doubleValue": number]
        case .string(let text): ["stringValue": text]
        default: ["stringValue": "\(attribute)"]
        }
    }

    // MARK: Metrics

    private var allMetrics: [[String: Any]] {
        var all: [[String: Any]] = []
        for timer in metrics.timers {
            let seconds = timer.values.map { Double($0) / 1e9 }
            let unit = timer.displayUnit == .seconds ? "s" : ""
            all.append(
                histogram(
                    timer.label, seconds, timer.dimensions, unit, bounds: MetricsMiddleware.durationBuckets))
        }
        for recorder in metrics.recorders {
            all.append(histogram(recorder.label, recorder.values, recorder.dimensions, "", bounds: []))
        }
        for meter in metrics.meters {
            all.append(sum(meter.label, meter.lastValue ?? 0, meter.dimensions, onlyGrows: false))
        }
        for counter in metrics.counters {
            all.append(sum(counter.label, Double(counter.totalValue), counter.dimensions, onlyGrows: true))
        }
        return all
    }

    private func histogram(
        _ name: String, _ values: [Double], _ dimensions: [(String, String)], _ unit: String, bounds: [Double]
    ) -> [String: Any] {
        // A bucket has what is above the bound before and not above its own.
        var buckets = [Int](repeating: 0, count: bounds.count + 1)
        for value in values { buckets[bounds.firstIndex { value <= $0 } ?? bounds.count] += 1 }
        var point = self.point(dimensions)
        point["count"] = String(values.count)
        point["sum"] = values.reduce(0, +)
        point["explicitBounds"] = bounds
        point["bucketCounts"] = buckets.map { String($0) }
        let histogram: [String: Any] = ["aggregationTemporality": 2, "dataPoints": [point]]
        return ["name": name, "unit": unit, "histogram": histogram]
    }

    private func sum(
        _ name: String, _ value: Double, _ dimensions: [(String, String)], onlyGrows: Bool
    ) -> [String: Any] {
        var point = self.point(dimensions)
        point["asInt"] = String(Int(value))
        let sum: [String: Any] = ["aggregationTemporality": 2, "isMonotonic": onlyGrows, "dataPoints": [point]]
        return ["name": name, "sum": sum]
    }

    private func point(_ dimensions: [(String, String)]) -> [String: Any] {
        let now = String(UInt64(Date().timeIntervalSince1970 * 1000)) + "000000"
        return [
            "startTimeUnixNano": now, "timeUnixNano": now,
            "attributes": dimensions.map { Self.attribute($0, ["stringValue": $1]) },
        ]
    }
}
