// SPDX-License-Identifier: Apache-2.0

/// A decoder that takes a part out of a body and has another decoder read it. That other decoder also reads bodies that
/// are not built that way, for a refusal does not come in the envelope of a success.
package protocol PartialBodyDecoder: ResponseBodyDecoder {
    var wholeBodyDecoder: any ResponseBodyDecoder { get }
}

extension ResponseBodyDecoder {
    /// The decoder for whole bodies: itself, unless it reads a part.
    package var forWholeBodies: any ResponseBodyDecoder {
        (self as? any PartialBodyDecoder)?.wholeBodyDecoder ?? self
    }
}
