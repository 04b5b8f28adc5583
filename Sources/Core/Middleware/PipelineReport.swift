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

    /// - Parameter listed: the caller's own list, to which the pipeline may have added redirects.
    init(_ pipeline: Pipeline, listed: [any NetworkMiddleware]) {
        let middleware = pipeline.middleware
        let placesRedirects = middleware.count > listed.count
        let names = middleware.map { String(describing: type(of: $0)) }
        let roles = middleware.map(\.placement.role)
        layers = names + (pipeline.interceptor == nil ? [] : ["interceptor"]) + [pipeline.capabilities.name]
        var findings: [Finding] = []
        for (position, layer) in middleware.enumerated() {
            for rule in layer.placement.rules {
                switch rule.demand {
                case .inside(let role):
                    for other in roles.indices where roles[other] == role && other > position {
                        findings.append(
                            Finding(
                                problem: "\(names[position]) stands outside \(names[other]): \(rule.because).",
                                fix: "Move \(names[position]) behind \(names[other]) in the list."))
                    }
                case .outside(let role):
                    for other in roles.indices where roles[other] == role && other < position {
                        findings.append(
                            Finding(
                                problem: "\(names[position]) stands inside \(names[other]): \(rule.because).",
                                fix: placesRedirects && middleware[other] is RedirectMiddleware
                                    ? "Move \(names[position]) to the front of the list."
                                    : "Move \(names[position]) before \(names[other]) in the list."))
                    }
                case .once:
                    guard let role = roles[position] else { continue }
                    for other in roles.indices where roles[other] == role && other > position {
                        findings.append(
                            Finding(
                                problem: "\(names[position]) and \(names[other]) both do \(role): \(rule.because).",
                                fix: "Keep one of them."))
                    }
                }
            }
        }
        var seen: Set<Finding> = []
        self.findings = findings.filter { seen.insert($0).inserted }
    }

    public var description: String {
        (["outermost: " + layers.joined(separator: " > ")] + findings.map { "- \($0)" }).joined(separator: "\n")
    }
}
