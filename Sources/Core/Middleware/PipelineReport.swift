// SPDX-License-Identifier: Apache-2.0

/// The stack of a client as it will run, and what contradicts itself in it.
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

        public init(problem: String, fix: String) {
            self.problem = problem
            self.fix = fix
        }

        public var description: String { "\(problem) Fix: \(fix)" }
    }

    /// - Parameters:
    ///   - listed: the caller's own list, to which the pipeline may have added redirects.
    ///   - body: that of the request in question.
    init(_ pipeline: Pipeline, listed: [any NetworkMiddleware], body: RequestBody = .empty) {
        let middleware = pipeline.middleware
        let names = middleware.map { String(describing: type(of: $0)) }
        let placements = middleware.map(\.placement)
        let roles = placements.map(\.role)
        let placesRedirects = middleware.count > listed.count
        layers = names + (pipeline.interceptor == nil ? [] : ["interceptor"]) + [pipeline.capabilities.name]

        var findings: [Finding] = []
        func find(_ problem: String, fix: String) {
            let finding = Finding(problem: problem, fix: fix)
            if !findings.contains(finding) { findings.append(finding) }
        }
        for (position, placement) in placements.enumerated() {
            let name = names[position]
            func findOutside(_ others: [Int], _ rule: MiddlewarePlacement.Rule) {
                for other in others where other > position {
                    find(
                        "\(name) stands outside \(names[other]): \(rule.because).",
                        fix: "Move \(name) behind \(names[other]) in the list.")
                }
            }
            for rule in placement.rules {
                switch rule.demand {
                case .inside(let role): findOutside(roles.indices.filter { roles[$0] == role }, rule)
                case .insideRepeats:
                    findOutside(placements.indices.filter { placements[$0].repeatsRequests }, rule)
                case .outside(let role):
                    for other in roles.indices where roles[other] == role && other < position {
                        let isListed = !(placesRedirects && middleware[other] is RedirectMiddleware)
                        find(
                            "\(name) stands inside \(names[other]): \(rule.because).",
                            fix: isListed
                                ? "Move \(name) before \(names[other]) in the list."
                                : "Move \(name) to the front of the list.")
                    }
                case .once:
                    guard let role = roles[position] else { continue }
                    for other in roles.indices where roles[other] == role && other > position {
                        find(
                            "\(name) and \(names[other]) both do \(role): \(rule.because).", fix: "Keep one of them.")
                    }
                }
            }
            if !body.isReplayable, placement.repeatsRequests {
                find(
                    "\(name) cannot send the request again: its body can be produced only once.",
                    fix: "Give the body as data, as a file, or as a stream that is made anew for each attempt.")
            }
        }
        self.findings = findings
    }

    public var description: String {
        (["outermost: " + layers.joined(separator: " > ")] + findings.map { "- \($0)" }).joined(separator: "\n")
    }
}
