/// A replacement of the input that a response repeats by the input of another request. A server may name the reader
/// that it rejects if it does so for every reader.
struct EchoedInput {
    /// The maximum size of a body in bytes. A longer response is no rejection, and a search in it would take too
    /// long.
    private static let maxLength = 64 << 10

    /// One spelling of a value and the corresponding spellings of the other value. There are several if the first
    /// value contains nothing to escape, so that some of its spellings are equal.
    private struct Place {
        let own: [UInt8]
        var others: [[UInt8]]
    }

    private let positions: [Place]

    /// - Parameters:
    ///   - own: Made-up fields, so that nothing else in a response equals them by chance.
    ///   - other: The same parameters in the same order.
    init(of own: [Field], as other: [Field]) {
        var positions: [Place] = []
        for (own, other) in zip(own, other) where own.value != other.value && !own.value.isEmpty {
            let ways = [own, other].map { TextSearch.encodings(of: Array($0.value.utf8)) }
            for (own, other) in zip(ways[0], ways[1]) {
                if let index = positions.firstIndex(where: { $0.own == own }) {
                    positions[index].others.append(other)
                } else {
                    positions.append(Place(own: own, others: [other]))
                }
            }
        }
        // The longest spelling comes first, because one spelling may contain another.
        self.positions = positions.sorted { $0.own.count > $1.own.count }
    }

    /// Returns the response as it would be to the other request if it depended on nothing else, or nil if it is too
    /// long.
    ///
    /// - Parameter other: The response to the other request, which shows how the server writes such a value.
    func exchanged(in response: ReceivedResponse, like other: ReceivedResponse) -> ReceivedResponse? {
        guard response.body.count <= Self.maxLength, other.body.count <= Self.maxLength else { return nil }
        var response = response
        response.body = exchanged(in: response.body, like: other.body)
        response.fields = response.fields.map { field in
            let bytes = exchanged(in: Array(field.value.utf8), like: Array((other[field.name] ?? "").utf8))
            return Field(field.name, String(decoding: bytes, as: UTF8.self))
        }
        return response
    }

    private func exchanged(in bytes: [UInt8], like other: [UInt8]) -> [UInt8] {
        positions.reduce(bytes) { bytes, place in
            guard place.own.count <= bytes.count, bytes.firstRange(of: place.own) != nil else { return bytes }
            let written = place.others.first { !$0.isEmpty && other.firstRange(of: $0) != nil }
            return bytes.replacing(place.own, with: written ?? place.others[0])
        }
    }
}
