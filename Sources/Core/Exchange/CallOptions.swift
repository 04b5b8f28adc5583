// SPDX-License-Identifier: Apache-2.0

import HTTPTypes

/// The options that hold for all requests of a call, also for one that a layer builds from scratch.
struct CallOptions: Sendable {
    /// Names that requests of the call have marked as those of secrets: a response may repeat the values.
    private var sensitiveFields: Set<HTTPField.Name> = []
    private var sensitiveQueryItems: Set<String> = []
    private let isAuthenticationExempt: Bool

    /// - Parameter isAuthenticationExempt: whether the request is with which the call begins.
    init(isAuthenticationExempt: Bool) {
        self.isAuthenticationExempt = isAuthenticationExempt
    }

    /// Adds the names that a request marks.
    mutating func add(_ options: RequestOptions) {
        Self.add(options.sensitiveFields, to: &sensitiveFields)
        Self.add(options.sensitiveQueryItems, to: &sensitiveQueryItems)
    }

    /// Sets with the same storage, as most layers have it, are compared at once.
    private static func add<Name>(_ names: Set<Name>, to known: inout Set<Name>) {
        if names == known { return }
        if names.isSuperset(of: known) { known = names } else { known.formUnion(names) }
    }

    func merged(into options: RequestOptions) -> RequestOptions {
        var options = options
        Self.add(sensitiveFields, to: &options.sensitiveFields)
        Self.add(sensitiveQueryItems, to: &options.sensitiveQueryItems)
        if isAuthenticationExempt { options.isAuthenticationExempt = true }
        return options
    }
}
