// SPDX-License-Identifier: Apache-2.0

/// A model that encodes itself as the test says.
struct Written: Encodable {
    var write: (any Encoder) throws -> Void

    init(_ write: @escaping (any Encoder) throws -> Void) { self.write = write }

    func encode(to encoder: any Encoder) throws { try write(encoder) }
}

/// The keys `a` to `d` of such a model.
enum Letter: String, CodingKey { case a, b, c, d, firstName }
