// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// What may be the base URL of a service: a `URL`, or its text.
public protocol ServiceURL: CustomStringConvertible, Sendable {}

extension URL: ServiceURL {}
extension String: ServiceURL {}

extension ServiceURL {
    var urlText: String { (self as? URL)?.absoluteString ?? description }
}
