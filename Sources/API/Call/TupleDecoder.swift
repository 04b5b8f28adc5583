// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import StrataCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Tuples are no types that can be `Decodable`: this model stands in for one, and reads it with a closure.
///
/// A decoder only takes a type. The closure travels beside it, for the time of the one synchronous `decode`.
struct TupleModel<Tuple>: Decodable, ModelStandIn {
    static var standsFor: any Any.Type { Tuple.self }

    let tuple: Tuple

    init(from decoder: any Decoder) throws {
        guard let read = TupleReading.current?.read as? (inout TupleReader) throws -> Tuple else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: "a tuple is decoded without its endpoint"))
        }
        var reader = TupleReader(decoder)
        tuple = try read(&reader)
    }
}

/// The closure that reads the tuple which is being decoded.
struct TupleReading: @unchecked Sendable {  // only called by the decoder's caller, in its own isolation
    let read: Any

    @TaskLocal static var current: TupleReading?
}

/// A decoder that has the closure at hand while its decoder runs.
struct TupleDecoder: ResponseBodyDecoder {
    let decoder: any ResponseBodyDecoder
    let reading: TupleReading

    var acceptedContentTypes: [String] { decoder.acceptedContentTypes }
    var decodesPartOfBody: Bool { decoder.decodesPartOfBody }

    func decode<Model: Decodable>(_ type: Model.Type, from data: Data, response: HTTPResponse) throws -> Model {
        try TupleReading.$current.withValue(reading) { try decoder.decode(type, from: data, response: response) }
    }
}
