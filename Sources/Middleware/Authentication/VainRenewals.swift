// SPDX-License-Identifier: Apache-2.0

/// The resources that refuse a credential however fresh it is. They answer 401 for another reason, and another renewal
/// would not help.
struct VainRenewals: Sendable {
    /// How long a resource is remembered.
    private static let memory = Duration.seconds(60)
    private static let maximumCount = 256

    private var ends: [String: Duration] = [:]
    /// Until when no resource is worth a renewal: there may be many that refuse everything.
    private var end: Duration?

    var isEmpty: Bool { ends.isEmpty }

    func allowRenewal(for resource: String, at now: Duration) -> Bool {
        if let end, now < end { return false }
        return ends[resource].map { now >= $0 } ?? true
    }

    mutating func add(_ resource: String, at now: Duration, holding interval: Duration) {
        ends = ends.filter { $0.value > now }
        if ends.count >= Self.maximumCount, let oldest = ends.min(by: { $0.value < $1.value }) {
            ends[oldest.key] = nil
        }
        ends[resource] = now + Self.memory
        end = now + interval
    }

    mutating func remove(_ resource: String) { ends[resource] = nil }
}
