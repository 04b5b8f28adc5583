// SPDX-License-Identifier: Apache-2.0

import StrataAPIExpansion
import SwiftCompilerPlugin
import SwiftSyntaxMacros

/// The compiler plug-in behind `StrataAPI`.
///
/// The macros are a library of their own. A test that needs a plug-in is built for the machine that compiles, with all else that is
/// tested, beside what is built for the machine that runs.
@main
struct StrataAPIPlugin: CompilerPlugin {
    let providingMacros: [any Macro.Type] = [APIMacro.self, EndpointMacro.self, MarkerMacro.self]
}

// The compiler asks for them by the name of this module.
final class APIMacro: StrataAPIExpansion.APIMacro {}
final class EndpointMacro: StrataAPIExpansion.EndpointMacro {}
final class MarkerMacro: StrataAPIExpansion.MarkerMacro {}
