/// The amount of markup in bytes that may be a document, counted before parsing. A parsed document takes many times
/// the memory of its bytes, and the time of validation grows faster than the size.
///
/// The count is exact for well-formed XML in an encoding that extends ASCII. The scan reads each byte only a few
/// times.
struct MarkupCount: Equatable {
    private(set) var elements = 0
    private(set) var attributes = 0
    /// The number of attributes of the element that has the most.
    private(set) var maxAttributes = 0
    /// The number of comments, CDATA sections and processing instructions.
    private(set) var comments = 0

    var total: Int { elements + attributes + comments }

    init(_ bytes: [UInt8]) {
        var position = 0
        while let start = bytes[position...].firstIndex(of: UInt8(ascii: "<")) {
            position = end(ofMarkupAt: start, in: bytes)
        }
    }

    /// Returns the position after the markup that begins at `start`, or the end of the bytes if the markup has no
    /// end.
    private mutating func end(ofMarkupAt start: Int, in bytes: [UInt8]) -> Int {
        let rest = bytes[start...]
        for (beginning, end) in Self.nonMarkupSections where rest.starts(with: beginning) {
            comments += 1
            return rest.dropFirst(beginning.count).firstRange(of: end)?.upperBound ?? bytes.count
        }
        if rest.starts(with: Self.closing) {
            return rest.firstIndex(of: UInt8(ascii: ">")).map { $0 + 1 } ?? bytes.count
        }
        elements += 1
        return endOfTag(from: start + 1, in: bytes)
    }

    private mutating func endOfTag(from start: Int, in bytes: [UInt8]) -> Int {
        var position = start
        var own = 0
        var quote: UInt8?
        defer {
            attributes += own
            maxAttributes = max(maxAttributes, own)
        }
        while position < bytes.count {
            let byte = bytes[position]
            position += 1
            switch byte {
            case quote: quote = nil
            case _ where quote != nil: break
            case UInt8(ascii: "\""), UInt8(ascii: "'"): quote = byte
            case UInt8(ascii: "="): own += 1
            case UInt8(ascii: ">"): return position
            default: break
            }
        }
        return position
    }

    private static let closing = Array("</".utf8)
    /// Delimiters of sections whose content may look like markup but is none.
    private static let nonMarkupSections = [("<!--", "-->"), ("<![CDATA[", "]]>"), ("<?", "?>")].map {
        (Array($0.0.utf8), Array($0.1.utf8))
    }
}
