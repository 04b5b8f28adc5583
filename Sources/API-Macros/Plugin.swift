// SPDX-License-Identifier: Apache-2.0

import SwiftCompilerPlugin
import SwiftSyntaxMacros

/// The compiler plug-in behind `StrataAPI`.
@main
struct StrataAPIPlugin: CompilerPlugin {
    let providingMacros: [any Macro.Type] = [APIMacro.self, EndpointMacro.self, MarkerMacro.self]
}
