import JSON

/// The body of a Baker call in its three dialects, whatever type it is said to be of (PROTOCOLS 2.1): a form, which is what
/// clients in the field send, a flat JSON object, and the property-list-like text of 2012, `{ "receipt-data" = "…"; }`.
enum BakerBody {
    /// Reads any bytes.
    ///
    /// - Throws: ``RequestRefusal/notFlatJSON`` when a brace begins something that is neither of the other two.
    static func parse(_ bytes: [UInt8]) throws(RequestRefusal) -> [(name: String, value: String)] {
        let start = bytes.first { !isSpace($0) }
        guard start == UInt8(ascii: "{") else { return FormFields.parse(bytes) }
        guard let fields = FlatJSON.parse(bytes) ?? PropertyText.parse(bytes) else { throw .notFlatJSON }
        return fields.map { (name: $0.name.replacing("-", with: "_"), value: $0.value) }
    }

    fileprivate static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }

    /// `{ name = value; … }` as a property list of NeXT's kind has it; names and values with or without quotation marks.
    private struct PropertyText {
        private var rest: ArraySlice<UInt8>

        static func parse(_ bytes: [UInt8]) -> [(name: String, value: String)]? {
            var parser = PropertyText(rest: bytes[...])
            return parser.dictionary()
        }

        private mutating func dictionary() -> [(name: String, value: String)]? {
            var fields: [(name: String, value: String)] = []
            guard take("{") else { return nil }
            while !take("}") {
                guard let name = word(), !name.isEmpty, take("="), let value = word(isValue: true) else { return nil }
                fields.append((name, value))
                // The last one's may be missing.
                if !take(";"), !take(",") {
                    guard take("}") else { return nil }
                    break
                }
            }
            skipSpace()
            return rest.isEmpty ? fields : nil
        }

        private mutating func word(isValue: Bool = false) -> String? {
            skipSpace()
            guard take("\"") else {
                let letters = rest.prefix { !"{}=;,\"".utf8.contains($0) && !BakerBody.isSpace($0) }
                rest = rest.dropFirst(letters.count)
                // Base64 ends with what else divides a name from its value.
                let padding = isValue ? rest.prefix(2).prefix { $0 == UInt8(ascii: "=") } : []
                rest = rest.dropFirst(padding.count)
                return letters.isEmpty ? nil : String(decoding: letters + padding, as: UTF8.self)
            }
            var text: [UInt8] = []
            while let byte = rest.popFirst() {
                switch byte {
                case UInt8(ascii: "\""): return String(decoding: text, as: UTF8.self)
                case UInt8(ascii: "\\"):
                    guard let next = rest.popFirst() else { return nil }
                    text.append(next == UInt8(ascii: "n") ? 0x0A : next)
                default: text.append(byte)
                }
            }
            return nil
        }

        private mutating func take(_ letter: Unicode.Scalar) -> Bool {
            skipSpace()
            guard rest.first == UInt8(ascii: letter) else { return false }
            rest = rest.dropFirst()
            return true
        }

        private mutating func skipSpace() { rest = rest.drop { BakerBody.isSpace($0) } }
    }
}
