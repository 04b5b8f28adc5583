// SPDX-License-Identifier: Apache-2.0

import SwiftSyntax
import SwiftSyntaxMacroExpansion
import SwiftSyntaxMacrosGenericTestSupport
