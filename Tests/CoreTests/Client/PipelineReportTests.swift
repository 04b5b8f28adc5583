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

    /// Each rule, with the others outside and inside of the layer that demands it.
    @Test(
        arguments: [
            (
                .inside("b", because: "r"), [],
                [(problem: "Demanding stands outside Around: r.", fix: "Move Demanding behind Around in the list.")]
            ),
            (
                .insideRepeats(because: "r"), [],
                [(problem: "Demanding stands outside Around: r.", fix: "Move Demanding behind Around in the list.")]
            ),
            (
                .innermost(because: "r"), [],
                [(problem: "Demanding stands outside Around: r.", fix: "Move Demanding behind Around in the list.")]
            ),
            (
                .outside("b", because: "r"),
                [(problem: "Demanding stands inside Around: r.", fix: "Move Demanding before Around in the list.")], []
            ),
            (
                .without("b", because: "r"),
                [(problem: "Demanding and Around are in one list: r.", fix: "Keep one of them.")],
                [(problem: "Demanding and Around are in one list: r.", fix: "Keep one of them.")]
            ),
        ]
            as [(
                MiddlewarePlacement.Rule, [(problem: String, fix: String)], [(problem: String, fix: String)]
            )])
    func saysWhatIsWrongAndHowToMendIt(
        _ rule: MiddlewarePlacement.Rule, _ whenOutside: [(problem: String, fix: String)],
        _ whenInside: [(problem: String, fix: String)]
    ) {
        struct Demanding: NetworkMiddleware {
            let placement: MiddlewarePlacement
            func intercept(_ request: TransportRequest, next: Next) async throws -> TransportResponse {
                try await next(request)
            }
        }
        let demanding = Demanding(placement: MiddlewarePlacement(role: "a", rules: [rule]))
        let other = Around(MiddlewarePlacement(role: "b", repeatsRequests: true)) { try await $1($0) }
        let observing: [any NetworkMiddleware] = [layer(.logging), layer(.recording), layer("x")]
        func findings(_ middleware: [any NetworkMiddleware]) -> [PipelineReport.Finding] { report(middleware).findings }
        func expected(_ texts: [(problem: String, fix: String)]) -> [PipelineReport.Finding] {
            texts.map { .init(problem: $0.problem, fix: $0.fix) }
        }
        #expect(findings([demanding]).isEmpty)
        #expect(findings(observing + [demanding]).isEmpty)
        #expect(findings([demanding] + observing.dropLast()).isEmpty)
        #expect(findings([other, demanding]) == expected(whenOutside))
        #expect(findings([demanding, other]) == expected(whenInside))
    }

    @Test func aLayerOfTheSameRoleMayStandOnceAlone() {
        let once = layer("role", .once(because: "they multiply"))
        #expect(
            report([once, layer("other"), layer("role")]).findings == [
                .init(problem: "Around and Around both do role: they multiply.", fix: "Keep one of them.")
            ])
        #expect(report([once, layer("other")]).findings.isEmpty)
        #expect(
            report([Around(MiddlewarePlacement(rules: [.once(because: "x")])) { try await $1($0) }]).findings.isEmpty)
    }

    @Test func saysThatCredentialsGoInClear() {
        func findings(_ base: String, _ role: MiddlewarePlacement.Role) -> [PipelineReport.Finding] {
            makeClient(ScriptedTransport(), baseURL: base, middleware: [layer(role)]).pipelineReport.findings
        }
        #expect(
            findings("http://a.example/x", .authentication) == [
                .init(
                    problem: "Around sends credentials to http://a.example, where anybody on the way can read them.",
                    fix: "Give the client a base URL with https.")
            ])
        #expect(findings("https://a.example", .authentication).isEmpty)
        #expect(findings("http://localhost", .authentication).isEmpty)
        #expect(findings("http://a.example", "other").isEmpty)
    }

    @Test func isALineForTheLayersAndOneForEachFinding() {
        let once = layer("role", .once(because: "they multiply"))
        let client = makeClient(ScriptedTransport(), middleware: [once, once, layer("x")]) {
            $0.interceptor = { $0 }
        }
        #expect(
            "\(client.pipelineReport)" == """
                outermost: RedirectMiddleware > Around > Around > Around > interceptor > scripted
                - Around and Around both do role: they multiply. Fix: Keep one of them.
                """)
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
