/// A search for comments in markup that may not be a well-formed document.
///
/// The search reads each byte only a few times, because a hostile server may send a million comment starts without
/// an end.
enum Comments {
    private static let beginning = Array("<!--".utf8)
    private static let end = Array("-->".utf8)

    /// Returns the range of each comment, from its `<!--` to the first `-->` after it. A start without an end is
    /// not a comment.
    static func ranges(in bytes: [UInt8]) -> [Range<Int>] {
        var ranges: [Range<Int>] = []
        var position = 0
        while let first = place(of: beginning, in: bytes, from: position),
            let last = place(of: end, in: bytes, from: first + beginning.count)
        {
            position = last + end.count
            ranges.append(first..<position)
        }
        return ranges
    }

    static func removed(from text: String) -> String {
        let bytes = Array(text.utf8)
        var rest: [UInt8] = []
        var position = 0
        for range in ranges(in: bytes) {
            rest += bytes[position..<range.lowerBound]
            position = range.upperBound
        }
        return String(decoding: rest + bytes[position...], as: UTF8.self)
    }

    private static func place(of delimiter: [UInt8], in bytes: [UInt8], from start: Int) -> Int? {
        var position = start
        while position + delimiter.count <= bytes.count {
            if bytes[position] == delimiter[0], bytes[position..<position + delimiter.count].elementsEqual(delimiter) {
                return position
            }
            position += 1
        }
        return nil
    }
}
