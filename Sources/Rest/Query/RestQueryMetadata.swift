// SPDX-License-Identifier: Apache-2.0

/// What a query asks for.
public struct RestQueryMetadata<Parent: Codable & SendableMetatype, Value: Codable & Sendable>: Sendable {
    public let path: String
    public let params: RestParameters
    /// Whether the stored token is sent.
    public let bearer: Bool
    let part: RestPart<Parent, Value>
    public let configuration: RestConfiguration

    func adding(params new: RestParameters) -> Self {
        RestQueryMetadata(
            path: path, params: params.merging(new), bearer: bearer, part: part, configuration: configuration)
    }
}
