// SPDX-License-Identifier: Apache-2.0

package import StrataCore

extension TransportResponse {
    /// As its caller gets it: the content decoded when that is wanted, and the body held to the request's limit.
    package consuming func prepared(for options: RequestOptions, decodesContent: Bool) -> TransportResponse {
        if decodesContent { ContentCoding.decode(&self) }
        if let limit = options.maximumResponseBytes, body.data.map({ $0.count > limit }) ?? true {
            body = body.mapSource(length: body.length) { LimitedSource($0, limit: limit) }
        }
        return self
    }
}
