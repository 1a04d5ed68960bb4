/// What a request's `Range` header asks for (RFC 9110 section 14.2).
///
/// What the RFC calls invalid is ignored, and the whole file is the answer: another unit, `bytes=5-2`, two headers, a list
/// that is absurdly long. So is every list of more than one range, well-formed or not: the RFC allows it, and a thousand
/// overlapping ranges then cost what the file costs (PITFALLS row 17).
public enum RangeHeader: Sendable, Equatable {
    /// No header, or one to ignore.
    case none
    case ranges([Span])

    /// One range; a number too large for 63 bits counts as the largest.
    public enum Span: Sendable, Equatable {
        /// From the first byte to the last, both counted from 0; to the end when there is no last.
        case from(Int64, through: Int64?)
        /// So many bytes at the end.
        case suffix(Int64)
    }

    /// The longest header value that is read, in bytes.
    static let longest = 1_024

    public init(_ values: [String]) {
        self = values.count == 1 ? Self.parse(Array(values[0].utf8)) : .none
    }

    /// The bytes to serve of a file of `size` bytes.
    public func selection(of size: Int64) -> RangeSelection {
        guard case .ranges(let spans) = self, spans.count == 1 else { return .whole }
        switch spans[0] {
        case .from(let first, let last):
            guard first < size else { return .unsatisfiable }
            return .part(first..<(min(last ?? .max, size - 1) + 1))
        case .suffix(let length):
            guard length > 0, size > 0 else { return .unsatisfiable }
            return .part(max(0, size - length)..<size)
        }
    }

    private static func parse(_ value: [UInt8]) -> RangeHeader {
        let unit = value.prefix { $0 != UInt8(ascii: "=") }
        guard value.count <= longest, unit.map({ $0 | 0x20 }).elementsEqual("bytes".utf8) else { return .none }
        let list = value.dropFirst(unit.count + 1)
        var spans: [Span] = []
        for piece in list.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false) {
            let trimmed = trim(piece)
            // Empty elements of a list are to be passed over (RFC 9110 section 5.6.1.2).
            if trimmed.isEmpty { continue }
            guard let span = span(trimmed) else { return .none }
            spans.append(span)
        }
        return spans.isEmpty ? .none : .ranges(spans)
    }

    private static func trim(_ piece: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let isSpace = { (byte: UInt8) in byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
        var piece = piece.drop(while: isSpace)
        while let last = piece.last, isSpace(last) { piece.removeLast() }
        return piece
    }

    private static func span(_ text: ArraySlice<UInt8>) -> Span? {
        guard let dash = text.firstIndex(of: UInt8(ascii: "-")) else { return nil }
        let (before, after) = (text[..<dash], text[(dash + 1)...])
        if before.isEmpty { return number(after).map(Span.suffix) }
        guard let first = number(before) else { return nil }
        if after.isEmpty { return .from(first, through: nil) }
        guard let last = number(after), first <= last else { return nil }
        return .from(first, through: last)
    }

    private static func number(_ digits: ArraySlice<UInt8>) -> Int64? {
        guard !digits.isEmpty else { return nil }
        var value: Int64 = 0
        for digit in digits {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return nil }
            let (tenfold, overflow) = value.multipliedReportingOverflow(by: 10)
            let (sum, overflowAgain) = tenfold.addingReportingOverflow(Int64(digit - UInt8(ascii: "0")))
            value = overflow || overflowAgain ? .max : sum
        }
        return value
    }
}

/// Which bytes of a file answer a request.
public enum RangeSelection: Sendable, Equatable {
    case whole
    case part(Range<Int64>)
    case unsatisfiable
}
