import TestSupport

/// Damages texts as systems and networks do: bytes, whole pieces and names.
struct Damage {
    private var random: SeededRandom
    /// The boundaries of pieces, and the texts that are inserted.
    private static let punctuation = Array("<>/\"'{}[]:,;=&|\n \t".utf8)
    private static let inserted = [
        "<x>", "</x>", "<x/>", "<!-- -->", "<![CDATA[", "]]>", "<?x?>", "null", "{}", "[]", "{", "}", "[", "]", ",",
        ":",
        "\"", "'", ";", "&", "=", "\n", "\u{0}", "\u{FEFF}", "*", "all", "0", "-1", "\\", "%",
    ]

    init(seed: UInt64) { random = SeededRandom(seed: seed) }

    mutating func chance(_ range: Range<Int>) -> Int { Int.random(in: range, using: &random) }

    /// Returns the text, damaged in one to three places.
    mutating func damaged(_ text: String) -> [UInt8] {
        var bytes = Array(text.utf8)
        for _ in 0...Int.random(in: 0...2, using: &random) { damage(&bytes) }
        return bytes
    }

    private mutating func damage(_ bytes: inout [UInt8]) {
        guard bytes.count > 1 else { return }
        let place = Int.random(in: 0..<bytes.count, using: &random)
        switch Int.random(in: 0..<8, using: &random) {
        case 0: bytes[place] = UInt8.random(in: .min ... .max, using: &random)
        case 1: bytes.remove(at: place)
        case 2:
            let text = Self.inserted.randomElement(using: &random) ?? ""
            bytes.insert(contentsOf: text.utf8, at: place)
        case 3: bytes.removeSubrange(piece(of: bytes, at: place))
        case 4:
            let piece = bytes[piece(of: bytes, at: place)]
            bytes.insert(contentsOf: Array(piece), at: Int.random(in: 0...bytes.count, using: &random))
        case 5:
            // Changes the case of one letter, such as one of a name.
            if (0x41...0x5A).contains(bytes[place] & 0xDF) { bytes[place] ^= 0x20 }
        case 6: bytes.removeSubrange(place...)
        default:
            let moved = Array(bytes[piece(of: bytes, at: place)])
            bytes.removeSubrange(piece(of: bytes, at: place))
            bytes.insert(contentsOf: moved, at: Int.random(in: 0...bytes.count, using: &random))
        }
    }

    /// Returns the range from one mark to a later one: a name, a tag, a field, or several.
    private mutating func piece(of bytes: [UInt8], at place: Int) -> Range<Int> {
        let start = bytes[..<place].lastIndex { Self.punctuation.contains($0) } ?? 0
        let ends = bytes[place...].indices.filter { Self.punctuation.contains(bytes[$0]) }.prefix(12)
        let end = ends.randomElement(using: &random).map { $0 + 1 } ?? bytes.count
        return start..<max(start, end)
    }
}
