import JSON

/// The body of a Baker call in three formats, regardless of its declared type.
///
/// The formats are a form, which clients in the field send, a flat JSON object, and the text of 2012 that resembles
/// a property list, `{ "receipt-data" = "…"; }`.
///
/// Source: Baker protocol, “Escaping in POST bodies” and “Older request formats”.
enum BakerBody {
    /// Parses any bytes.
    ///
    /// - Throws: ``RequestRejection/notFlatJSON`` if the bytes begin with a brace and are neither of the other two
    ///   formats.
    static func parse(_ bytes: [UInt8]) throws(RequestRejection) -> [(name: String, value: String)] {
        let start = bytes.first { !isSpace($0) }
        guard start == UInt8(ascii: "{") else { return FormFields.parse(bytes) }
        guard let fields = FlatJSON.parse(bytes) ?? PropertyText.parse(bytes) else { throw .notFlatJSON }
        return fields.map { (name: $0.name.replacing("-", with: "_"), value: $0.value) }
    }

    fileprivate static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }

    /// A parser of `{ name = value; … }` in the style of a NeXT property list. Names and values may have quotation
    /// marks.
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
                // The separator after the last field is optional.
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
                // Base64 ends with the same character that separates a name from its value.
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
