/// How much markup bytes have that may be a document, counted before anything is made of them: what is made of it takes many
/// times the room, and validating takes a time that grows faster than its size.
///
/// Of well-formed XML whose letters are ASCII's it is exact. Each byte is looked at a few times and no more.
struct MarkupCount: Equatable {
    private(set) var elements = 0
    private(set) var attributes = 0
    /// Of the element that has the most.
    private(set) var mostAttributes = 0
    /// And whatever else is kept by itself.
    private(set) var comments = 0

    var total: Int { elements + attributes + comments }

    init(_ bytes: [UInt8]) {
        var position = 0
        while let start = bytes[position...].firstIndex(of: UInt8(ascii: "<")) {
            position = end(ofMarkupAt: start, in: bytes)
        }
    }

    /// Behind what begins there; where it has no end, behind everything.
    private mutating func end(ofMarkupAt start: Int, in bytes: [UInt8]) -> Int {
        let rest = bytes[start...]
        for (beginning, end) in Self.asides where rest.starts(with: beginning) {
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
            mostAttributes = max(mostAttributes, own)
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
    /// What has markup in it that is none.
    private static let asides = [("<!--", "-->"), ("<![CDATA[", "]]>"), ("<?", "?>")].map {
        (Array($0.0.utf8), Array($0.1.utf8))
    }
}
