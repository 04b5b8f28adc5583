// SPDX-License-Identifier: Apache-2.0

import Foundation
import StrataCore
import StrataTesting
import Synchronization
import Testing

struct PipelineReportTests {
    private func report(_ middleware: [any NetworkMiddleware]) -> PipelineReport {
        makeClient(ScriptedTransport(), middleware: middleware).pipelineReport
    }

    private func layer(_ role: MiddlewarePlacement.Role, _ rules: MiddlewarePlacement.Rule...) -> Around {
        Around(MiddlewarePlacement(role: role, rules: rules)) { try await $1($0) }
    }

    @Test func namesTheLayersOutermostFirst() {
        #expect(report([layer("x")]).layers == ["RedirectMiddleware", "Around", "scripted"])
        #expect(report([layer("x")]).findings.isEmpty)
    }

    @Test func findsALayerOnTheWrongSide() {
        let needsInside = layer("a", .inside("b", because: "it would miss b"))
        #expect(report([layer("b"), needsInside]).findings.isEmpty)
        let findings = report([needsInside, layer("b")]).findings
        #expect(findings.count == 1)
        #expect(findings.first?.problem.contains("it would miss b") == true)
        let needsOutside = layer("a", .outside("b", because: "b would hide it"))
        #expect(report([layer("b"), needsOutside]).findings.count == 1)
    }

    @Test func findsALayerThatStandsTwice() {
        let once = layer("retry", .once(because: "attempts multiply"))
        #expect(report([once, once]).findings.count == 1)
        #expect(report([once]).findings.isEmpty)
    }

    @Test func findsAuthenticationOutsideOfRedirects() {
        let report = report([layer(.authentication), RedirectMiddleware()])
        #expect(report.findings.count == 1)
        #expect(report.description.contains("Fix:"))
    }

    @Test func namesNoLayerInAFixThatTheListDoesNotHave() {
        let watcher = layer("watcher", .outside(.redirects, because: "it wants whole calls"))
        #expect(report([layer("a"), watcher]).findings.map(\.fix) == ["Move Around to the front of the list."])
        #expect(report([watcher, layer("a")]).findings.isEmpty)
        #expect(
            report([RedirectMiddleware(), watcher]).findings.map(\.fix)
                == ["Move Around before RedirectMiddleware in the list."])
    }

    @Test func saysWhatABodyDoesNotAllow() throws {
        let oneShot = RequestBody.stream(from: AsyncStream { $0.finish() } as AsyncStream<Data>)
        let client = makeClient(
            ScriptedTransport(), middleware: [layer(.retry), layer(.authentication), layer(.logging)])
        var request = try TransportRequest(method: .post, url: "https://a.example/", body: oneShot)
        let findings = client.pipelineReport(for: request).findings
        #expect(findings.count == 1, "only the retry layer repeats")
        #expect(findings.first?.problem.contains("only once") == true)
        request.middleware = [layer(.logging)]
        #expect(client.pipelineReport(for: request).findings.isEmpty)
        request.middleware = nil
        request.body = .data(Data("x".utf8))
        #expect(client.pipelineReport(for: request).findings.isEmpty)
    }

    #if DEBUG
    @Test func aContradictionIsToldOnce() {
        let lines = Mutex<[String]>([])
        PipelineReport.$log.withValue({ line in lines.withLock { $0.append(line) } }) {
            let twice = layer("told once", .once(because: "they multiply"))
            for _ in 0..<3 { _ = report([twice, twice]) }
            _ = report([twice])
        }
        let told = lines.withLock { $0 }
        #expect(told.count == 1)
        #expect(told.first?.contains("Fix: Keep one of them.") == true)
    }
    #endif
}
