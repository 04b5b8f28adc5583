// SPDX-License-Identifier: Apache-2.0

/// What a query asks for.
public struct RestQueryMetadata<Parent: Codable & SendableMetatype, Value: Codable & Sendable>: Sendable {
    public let path: String
    public let params: [String: String]
    /// Whether the stored token is sent.
    public let bearer: Bool
    let part: RestPart<Parent, Value>
    public let configuration: RestConfiguration

    func adding(params new: [String: String]) -> Self {
        RestQueryMetadata(
            path: path, params: params.merging(new) { $1 }, bearer: bearer, part: part, configuration: configuration)
    }
}
