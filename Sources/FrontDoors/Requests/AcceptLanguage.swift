/// A parser of the `Accept-Language` header (RFC 9110 section 12.5.4).
enum AcceptLanguage {
    /// The maximum number of languages that are used. The others are ignored.
    static let maxLanguages = 10

    /// Returns the reader's languages as tags in lower case, highest weight first.
    ///
    /// The parser accepts any text. It ignores invalid tags, `*`, for which there is no text to choose, and tags of
    /// weight zero.
    static func parse(_ header: String) -> [String] {
        let ranges = header.utf8.prefix(4096).split(separator: UInt8(ascii: ",")).compactMap { Range($0) }
        let wanted = ranges.enumerated().filter { $0.element.weight > 0 }
        // Languages of equal weight retain their order.
        let sorted = wanted.sorted { ($1.element.weight, $0.offset) < ($0.element.weight, $1.offset) }
        return sorted.prefix(maxLanguages).map(\.element.tag)
    }

    private struct Range {
        let tag: String
        /// The weight, in thousandths.
        let weight: Int

        init?(_ bytes: Substring.UTF8View) {
            let parts = bytes.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)
            guard let tag = parts.first.map({ Self.trim($0) }), Self.isTag(tag) else { return nil }
            self.tag = String(decoding: tag, as: UTF8.self).lowercased()
            var weight = 1000
            for parameter in parts.dropFirst() {
                guard let value = Self.weight(Array(Self.trim(parameter))) else { return nil }
                weight = value
            }
            self.weight = weight
        }

        private static func isTag(_ bytes: Substring.UTF8View) -> Bool {
            guard (1...35).contains(bytes.count), bytes.first != UInt8(ascii: "-") else { return false }
            return bytes.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
                    true
                default: false
                }
            }
        }

        /// Parses `q=` and a number from 0 to 1 with at most three decimals, in thousandths.
        private static func weight(_ bytes: [UInt8]) -> Int? {
            guard bytes.count >= 3, bytes.count <= 7, bytes[0] | 0x20 == UInt8(ascii: "q"),
                bytes[1] == UInt8(ascii: "="), bytes.count == 3 || bytes[3] == UInt8(ascii: ".")
            else { return nil }
            let digits = ([bytes[2]] + bytes.dropFirst(4)).map { Int($0) - 0x30 }
            guard digits.allSatisfy((0...9).contains) else { return nil }
            let thousandths = (digits + [0, 0, 0]).prefix(4).reduce(0) { $0 * 10 + $1 }
            return thousandths <= 1000 ? thousandths : nil
        }

        private static func trim(_ bytes: Substring.UTF8View) -> Substring.UTF8View {
            var bytes = bytes
            while let first = bytes.first, first == 0x20 || first == 0x09 { bytes = bytes.dropFirst() }
            while let last = bytes.last, last == 0x20 || last == 0x09 { bytes = bytes.dropLast() }
            return bytes
        }
    }
}
