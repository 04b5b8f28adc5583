// SPDX-License-Identifier: Apache-2.0

/// The stack of a client as it will run, and the contradictions in its order.
///
///     print(client.pipelineReport)
public struct PipelineReport: Sendable, CustomStringConvertible {
    /// The layers, outermost first, the transport last.
    public let layers: [String]
    public let findings: [Finding]

    /// A contradiction and its remedy.
    public struct Finding: Hashable, Sendable, CustomStringConvertible {
        public let problem: String
        public let fix: String

        package init(problem: String, fix: String) {
            self.problem = problem
            self.fix = fix
        }

        public var description: String { "\(problem) Fix: \(fix)" }
    }

    /// - Parameters:
    ///   - listed: the caller's own list, to which the pipeline may have added redirects.
    ///   - body: that of the request in question.
    ///   - base: where the client's requests go.
    init(_ pipeline: Pipeline, listed: [any NetworkMiddleware], body: RequestBody = .empty, base: Origin? = nil) {
        let stack = Stack(pipeline.middleware, addsRedirects: pipeline.middleware.count > listed.count)
        layers = stack.names + (pipeline.interceptor == nil ? [] : ["interceptor"]) + [pipeline.capabilities.name]
        var found: [Finding] = []
        for (position, placement) in stack.placements.enumerated() {
            for rule in placement.rules { found += stack.findings(by: rule, of: position) }
            if placement.repeatsRequests, !body.isReplayable { found.append(stack.cannotRepeat(position)) }
            if placement.role == .authentication, let base, base.isInClear {
                found.append(stack.inClear(position, base))
            }
        }
        findings = found.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }

    public var description: String {
        (["outermost: " + layers.joined(separator: " > ")] + findings.map { "- \($0)" }).joined(separator: "\n")
    }
}

extension PipelineReport {
    /// The layers by their positions, outermost first, and what the rule of one says about the others.
    private struct Stack {
        let names: [String]
        let placements: [MiddlewarePlacement]
        /// The position of the redirect layer that the pipeline has added; `nil` when the caller's list has its own.
        private let addedRedirects: Int?

        init(_ middleware: [any NetworkMiddleware], addsRedirects: Bool) {
            names = middleware.map { String(describing: type(of: $0)) }
            placements = middleware.map(\.placement)
            addedRedirects = addsRedirects ? middleware.firstIndex { $0 is RedirectMiddleware } : nil
        }

        func findings(by rule: MiddlewarePlacement.Rule, of position: Int) -> [Finding] {
            let outer = 0..<position
            let inner = (position + 1)..<placements.count
            switch rule.demand {
            case .inside(let role):
                return inner.filter { placements[$0].role == role }.map { standsOutside(position, $0, rule) }
            case .insideRepeats:
                return inner.filter { placements[$0].repeatsRequests }.map { standsOutside(position, $0, rule) }
            case .innermost:
                return inner.filter { placements[$0].role?.onlyObserves != true }
                    .map { standsOutside(position, $0, rule) }
            case .outside(let role):
                return outer.filter { placements[$0].role == role }.map { standsInside(position, $0, rule) }
            case .without(let role):
                return placements.indices.filter { $0 != position && placements[$0].role == role }.map { other in
                    Finding(
                        problem: "\(names[position]) and \(names[other]) are in one list: \(rule.because).",
                        fix: "Keep one of them.")
                }
            case .once:
                guard let role = placements[position].role else { return [] }
                return inner.filter { placements[$0].role == role }.map { other in
                    Finding(
                        problem: "\(names[position]) and \(names[other]) both do \(role): \(rule.because).",
                        fix: "Keep one of them.")
                }
            }
        }

        private func standsOutside(_ position: Int, _ other: Int, _ rule: MiddlewarePlacement.Rule) -> Finding {
            Finding(
                problem: "\(names[position]) stands outside \(names[other]): \(rule.because).",
                fix: "Move \(names[position]) behind \(names[other]) in the list.")
        }

        private func standsInside(_ position: Int, _ other: Int, _ rule: MiddlewarePlacement.Rule) -> Finding {
            let place = other == addedRedirects ? "to the front of the list" : "before \(names[other]) in the list"
            return Finding(
                problem: "\(names[position]) stands inside \(names[other]): \(rule.because).",
                fix: "Move \(names[position]) \(place).")
        }

        func inClear(_ position: Int, _ base: Origin) -> Finding {
            Finding(
                problem: "\(names[position]) sends credentials to \(base), where anybody on the way can read them.",
                fix: "Give the client a base URL with https.")
        }

        func cannotRepeat(_ position: Int) -> Finding {
            Finding(
                problem: "\(names[position]) cannot send the request again: its body can be produced only once.",
                fix: "Give the body as data, as a file, or as a stream that is made anew for each attempt.")
        }
    }
}
