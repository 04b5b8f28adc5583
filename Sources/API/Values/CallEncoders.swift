// SPDX-License-Identifier: Apache-2.0

import StrataCore
import StrataEncoding

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Who writes what of a call.
///
/// Names that the caller did not write follow one key strategy in JSON, forms, parts and queries: that of the encoder of
/// JSON. An encoder of forms or queries that has a strategy of its own, or was given for the endpoint, goes by that.
struct CallEncoders {
    /// The endpoint's own, by the format.
    let own: [BodyFormat: any RequestBodyEncoder]
    let provider: Provider

    private var json: any RequestBodyEncoder { own[.json] ?? provider.client.configuration.defaultEncoder }

    /// Parts of JSON need one of this kind.
    private var jsonEncoder: JSONEncoder {
        own[.json] as? JSONEncoder ?? provider.client.configuration.defaultEncoder as? JSONEncoder ?? JSONEncoder()
    }

    private var options: FormOptions { FormOptions(keys: .init(jsonEncoder.keyEncodingStrategy)) }

    func encoder(of format: BodyFormat) -> any RequestBodyEncoder {
        switch format {
        case .json: json
        case .form: own[.form] ?? FormEncoder(options)
        case .multipart: own[.multipart] ?? MultipartEncoder(json: jsonEncoder, options: options)
        }
    }

    var query: QueryEncoder {
        var encoder = provider.queryEncoder
        if encoder.options.keys.isAsWritten { encoder.options.keys = options.keys }
        return encoder
    }
}
