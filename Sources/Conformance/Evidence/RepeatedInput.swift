import Gatefold

/// What the answer to one question repeats of it, with what another question had in its place: a server may name whom it refuses, as
/// long as it does so whoever that is.
struct RepeatedInput {
    /// Longer answers are no refusals, and would keep a check busy; in bytes.
    private static let longest = 64 << 10

    /// One way of writing a value down, and the ways of writing the other's where that one stands: more than one where the first has
    /// nothing in it that is escaped.
    private struct Place {
        let own: [UInt8]
        var others: [[UInt8]]
    }

    private let places: [Place]

    /// - Parameters:
    ///   - own: made up, so that nothing else in an answer is the same by chance.
    ///   - other: the same parameters in the same order.
    init(of own: [Field], as other: [Field]) {
        var places: [Place] = []
        for (own, other) in zip(own, other) where own.value != other.value && !own.value.isEmpty {
            let ways = [own, other].map { Trace.spellings(of: Array($0.value.utf8)) }
            for (own, other) in zip(ways[0], ways[1]) {
                if let index = places.firstIndex(where: { $0.own == own }) {
                    places[index].others.append(other)
                } else {
                    places.append(Place(own: own, others: [other]))
                }
            }
        }
        // The longest first: one may stand in another.
        self.places = places.sorted { $0.own.count > $1.own.count }
    }

    /// The answer as it would be to the other question, if that is all that depends on it; nil where it is too long.
    ///
    /// - Parameter other: what was answered there, which shows how that server writes such a value.
    func exchanged(in answer: RawAnswer, like other: RawAnswer) -> RawAnswer? {
        guard answer.body.count <= Self.longest, other.body.count <= Self.longest else { return nil }
        var answer = answer
        answer.body = exchanged(in: answer.body, like: other.body)
        answer.fields = answer.fields.map { field in
            let bytes = exchanged(in: Array(field.value.utf8), like: Array((other[field.name] ?? "").utf8))
            return Field(field.name, String(decoding: bytes, as: UTF8.self))
        }
        return answer
    }

    private func exchanged(in bytes: [UInt8], like other: [UInt8]) -> [UInt8] {
        places.reduce(bytes) { bytes, place in
            guard place.own.count <= bytes.count, bytes.firstRange(of: place.own) != nil else { return bytes }
            let written = place.others.first { !$0.isEmpty && other.firstRange(of: $0) != nil }
            return bytes.replacing(place.own, with: written ?? place.others[0])
        }
    }
}
