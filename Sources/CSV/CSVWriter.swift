/// A writer for separated values (RFC 4180), with CR LF line ends, and quotes where they are needed.
public struct CSVWriter: Sendable {
    private let separator: UInt8
    private var bytes: [UInt8] = []

    public init(separator: CSVFormat.Separator = .comma) {
        self.separator = separator.rawValue
    }

    /// The number of written bytes that ``take()`` has not returned yet.
    public var count: Int { bytes.count }

    /// Adds one row. Every field is first made safe for spreadsheets, see ``SpreadsheetFormula``.
    public mutating func write(_ fields: [String]) {
        for (index, field) in fields.enumerated() {
            if index > 0 { bytes.append(separator) }
            append(SpreadsheetFormula.neutralise(field), isAlone: fields.count == 1)
        }
        bytes += [0x0D, 0x0A]
    }

    /// Returns the bytes written since the last call.
    public mutating func take() -> [UInt8] {
        defer { bytes.removeAll(keepingCapacity: true) }
        return bytes
    }

    private mutating func append(_ field: String, isAlone: Bool) {
        let quote = UInt8(ascii: "\"")
        // A single empty field would be an empty line, which readers skip. A field that starts with a byte order
        // mark could be read as the mark of the file.
        let needsQuotes =
            (isAlone && field.isEmpty) || field.utf8.starts(with: [0xEF, 0xBB, 0xBF])
            || field.utf8.contains { $0 == quote || $0 == separator || $0 == 0x0A || $0 == 0x0D }
        guard needsQuotes else {
            bytes.append(contentsOf: field.utf8)
            return
        }
        bytes.append(quote)
        for byte in field.utf8 {
            if byte == quote { bytes.append(quote) }
            bytes.append(byte)
        }
        bytes.append(quote)
    }
}
