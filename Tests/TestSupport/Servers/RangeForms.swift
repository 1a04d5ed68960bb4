/// Requests for a part of a file that expired credentials may or may not send, by their headers.
public struct RangeForm: Sendable, CustomStringConvertible {
    public typealias Fields = [(String, String)]

    public let method: String
    public let fields: Fields

    init(_ fields: Fields, method: String = "GET") {
        self.method = method
        self.fields = fields
    }

    public var description: String {
        "\(method) \(fields.map { "\($0.0): \($0.1)" }.joined(separator: ", "))"
    }

    /// Returns the requests that resume a download, with the first and the last requested byte.
    ///
    /// - Parameters:
    ///   - size: The size of the file in bytes.
    ///   - tag: The entity tag of the file.
    public static func continuing(of size: Int, tag: String) -> [(form: RangeForm, part: ClosedRange<Int>)] {
        [
            (RangeForm([("Range", "bytes=1-")]), 1...(size - 1)),
            (RangeForm([("Range", "bytes=\(size / 2)-")]), (size / 2)...(size - 1)),
            (RangeForm([("Range", "bytes=5-9")]), 5...9),
            (RangeForm([("Range", "bytes=5-\(size * 2)")]), 5...(size - 1)),
            (RangeForm([("Range", "bytes=1-"), ("If-Range", tag)]), 1...(size - 1)),
            (RangeForm([("Range", "bytes=\(size / 2)-"), ("If-Range", tag)]), (size / 2)...(size - 1)),
        ]
    }

    /// Returns the requests that start a download, or that some server treats as such.
    public static func beginning(of size: Int, tag: String) -> [RangeForm] {
        let rest = ("Range", "bytes=1-")
        let ranges = [
            "bytes=0-", "bytes=0-0", "bytes=0-\(size)", "bytes=00-", "bytes=-1", "bytes=-\(size - 1)", "bytes=-\(size)",
            "bytes=-\(size + 1)", "bytes=-99999999999999999999", "bytes=1-,0-0", "bytes=0-0,1-", "bytes=1-2,4-",
            "bytes=1-,1-",
            "bytes=1-,-\(size)", "bytes=5-2", "bytes=", "bytes=+1-", "bytes=1-2-3", "items=1-", "bytes 1-",
        ]
        let conditions = [
            "\"another\"", "W/\(tag)", "*", "Sun, 20 Sep 2026 14:13:20 GMT", "yesterday", "\"another\", \(tag)",
        ]
        return [RangeForm([]), RangeForm([("Request-Range", "bytes=1-")]), RangeForm([("If-Range", tag)])]
            + ranges.map { RangeForm([("Range", $0)]) } + conditions.map { RangeForm([rest, ("If-Range", $0)]) }
            + [
                RangeForm([rest, ("Range", "bytes=0-")]), RangeForm([("Range", "bytes=0-"), rest]),
                RangeForm([rest, ("If-Range", "\"another\""), ("If-Range", tag)]),
                RangeForm([rest, ("If-Range", tag), ("If-Range", "\"another\"")]), RangeForm([rest], method: "HEAD"),
            ]
    }
}
