// SPDX-License-Identifier: Apache-2.0

/// The path that many requests have in common: that of the base URL, and a template below it.
struct URLTemplate: Hashable, Sendable {
    /// Put together only when somebody asks for it.
    private let base: String
    private let template: String

    init(_ template: String, below base: String = "") {
        self.base = base
        self.template = template
    }

    /// Without origin, query and fragment, which may hold secrets, and would be something else for each caller.
    var text: String {
        let end = template.firstIndex { $0 == "?" || $0 == "#" } ?? template.endIndex
        var path = template[..<end]
        // Variables of the query and the fragment begin by `{?` and `{#` in a URI template (RFC 6570 §3.2).
        if path.last == "{" { path.removeLast() }
        guard !RequestURL.isAbsolute(template) else { return URLReference(String(path)).path }
        guard !path.isEmpty else { return base }
        var text = base
        URLReference.append(String(path), to: &text)
        return text
    }
}
