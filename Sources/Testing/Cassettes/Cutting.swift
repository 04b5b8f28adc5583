// SPDX-License-Identifier: Apache-2.0

/// How a body is cut into other pieces than it came in.
struct Cutting: Sendable {
    private let rechunking: Rechunking
    private let way: Int

    /// - Parameter way: which of the ways there are, for ``Rechunking/everySplit``.
    init(_ rechunking: Rechunking, way: Int = 0) {
        self.rechunking = rechunking
        self.way = way
    }

    /// The pieces of a body of so many bytes. Each comes when its last byte did.
    func cut(_ pieces: [Cassette.Piece]) -> [Cassette.Piece] {
        let total = pieces.reduce(0) { $0 + $1.count }
        var rest = pieces[...]
        var room = rest.first?.count ?? 0
        return sizes(of: total).compactMap { size in
            var missing = size
            while missing > room, rest.count > 1 {
                missing -= room
                rest.removeFirst()
                room = rest.first?.count ?? 0
            }
            room -= missing
            return rest.first.map { Cassette.Piece(time: $0.time, count: size) }
        }
    }

    private func sizes(of total: Int) -> [Int] {
        guard total > 0 else { return [] }
        switch rechunking {
        case .whole: return [total]
        case .oneByte: return Self.sizes(of: total) { 1 }
        case .every(let size): return Self.sizes(of: total) { size }
        case .everySplit: return way + 1 < total ? [way + 1, total - way - 1] : [total]
        case .random(let seed):
            var generator = SeededGenerator(seed: seed)
            return Self.sizes(of: total) { Int.random(in: 1...16, using: &generator) }
        }
    }

    private static func sizes(of total: Int, _ size: () -> Int) -> [Int] {
        var sizes: [Int] = []
        var rest = total
        while rest > 0 {
            let next = min(max(size(), 1), rest)
            sizes.append(next)
            rest -= next
        }
        return sizes
    }
}
