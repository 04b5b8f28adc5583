// SPDX-License-Identifier: Apache-2.0

import Synchronization

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#endif

extension PipelineReport {
    /// Where the reports of contradictions go.
    @TaskLocal package static var log: @Sendable (String) -> Void = { writeToStandardError($0 + "\n") }

    private static let logged = Mutex<Set<String>>([])

    /// In a debug build, tells of contradictions: once in the process for each report.
    func logOnce() {
        #if DEBUG
        guard !findings.isEmpty else { return }
        let text = "Strata: the layers of a client contradict each other.\n\(self)"
        if Self.logged.withLock({ $0.insert(text).inserted }) { Self.log(text) }
        #endif
    }
}

private func writeToStandardError(_ text: String) {
    var text = text
    _ = text.withUTF8 { write(2, $0.baseAddress, $0.count) }
}
