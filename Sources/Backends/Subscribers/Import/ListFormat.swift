import Gatefold

/// Lists in one cell: entries separated by `;`, a category as `scheme=value`.
///
/// A backslash escapes a following `;`, `=` or backslash. Before any other character it is literal.
enum ListFormat {
    static func write(_ category: UserInfoCategory) -> String {
        escape(category.scheme) + "=" + escape(category.value)
    }

    static func split(_ cell: String) -> [Substring] {
        pieces(cell[...], at: UInt8(ascii: ";"), limit: .max).filter { !$0.isEmpty }
    }

    /// Parses a category. Returns nil if there is no `=`, or if nothing precedes it.
    static func category(_ entry: Substring) -> UserInfoCategory? {
        let parts = pieces(entry, at: UInt8(ascii: "="), limit: 2)
        guard parts.count == 2, !parts[0].isEmpty else { return nil }
        return UserInfoCategory(scheme: unescape(parts[0]), value: unescape(parts[1]))
    }

    private static let backslash = UInt8(ascii: "\\")

    private static func isSpecial(_ byte: UInt8) -> Bool {
        byte == backslash || byte == UInt8(ascii: ";") || byte == UInt8(ascii: "=")
    }

    private static func escape(_ text: String) -> String {
        String(decoding: text.utf8.flatMap { isSpecial($0) ? [backslash, $0] : [$0] }, as: UTF8.self)
    }

    private static func unescape(_ text: Substring) -> String {
        var bytes: [UInt8] = []
        var isEscaped = false
        for byte in text.utf8 {
            if isEscaped, !isSpecial(byte) { bytes.append(backslash) }
            if byte == backslash, !isEscaped {
                isEscaped = true
                continue
            }
            bytes.append(byte)
            isEscaped = false
        }
        if isEscaped { bytes.append(backslash) }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func pieces(_ text: Substring, at separator: UInt8, limit: Int) -> [Substring] {
        var pieces: [Substring] = []
        var start = text.startIndex
        var isEscaped = false
        var index = text.utf8.startIndex
        while index < text.utf8.endIndex {
            let byte = text.utf8[index]
            if byte == separator, !isEscaped, pieces.count + 1 < limit {
                pieces.append(text[start..<index])
                start = text.utf8.index(after: index)
            }
            isEscaped = byte == backslash && !isEscaped
            index = text.utf8.index(after: index)
        }
        pieces.append(text[start...])
        return pieces
    }
}
