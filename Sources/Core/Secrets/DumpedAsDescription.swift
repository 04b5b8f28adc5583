// SPDX-License-Identifier: Apache-2.0

/// A value that holds what nobody should read in a log: a dump, and a failing `#expect`, show its description alone.
@_documentation(visibility: internal)
public protocol DumpedAsDescription: CustomStringConvertible, CustomReflectable {}

extension DumpedAsDescription {
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}
