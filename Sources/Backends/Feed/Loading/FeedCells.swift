/// The encoding of a row's cells in the database. Each cell consists of its field number and its length, both as
/// LEB128 variable-length integers, and its text in UTF-8.
enum FeedCells {
    static func encode(_ cells: [FeedRow.Cell]) -> [UInt8] {
        var bytes: [UInt8] = []
        for cell in cells {
            append(cell.field, to: &bytes)
            append(cell.text.utf8.count, to: &bytes)
            bytes.append(contentsOf: cell.text.utf8)
        }
        return bytes
    }

    /// Decodes cells. Returns nil for bytes that ``encode(_:)`` does not write.
    static func decode(_ bytes: [UInt8]) -> [FeedRow.Cell]? {
        var cells: [FeedRow.Cell] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            guard let field = number(&rest), let length = number(&rest), length <= rest.count,
                let text = String(validating: rest.prefix(length), as: UTF8.self)
            else { return nil }
            rest = rest.dropFirst(length)
            cells.append(FeedRow.Cell(field: field, text: text))
        }
        return cells
    }

    private static func append(_ number: Int, to bytes: inout [UInt8]) {
        var rest = number
        while rest >= 0x80 {
            bytes.append(UInt8(rest & 0x7F) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    private static func number(_ bytes: inout ArraySlice<UInt8>) -> Int? {
        var number = 0
        for shift in stride(from: 0, to: 35, by: 7) {
            guard let byte = bytes.popFirst() else { return nil }
            number |= Int(byte & 0x7F) << shift
            if byte < 0x80 { return number }
        }
        return nil
    }
}
