/// The parsed `Range` header of a request (RFC 9110 section 14.2).
///
/// A header that the RFC calls invalid is ignored, and the response is the whole file: another unit, `bytes=5-2`,
/// two headers, or a list of excessive length. Every list of more than one range is ignored too, even if it is
/// well-formed. The RFC allows that, and a thousand overlapping ranges then cost as much as the file.
///
/// Source: Pitfall 17, “Ranges and large files turned against the gate”.
public enum RangeHeader: Sendable, Equatable {
    /// No header, or a header that is ignored.
    case none
    case ranges([Span])

    /// One range. A number too large for 63 bits counts as the maximum.
    public enum Span: Sendable, Equatable {
        /// The bytes from the first to the last position, both counted from 0, or to the end if there is no last
        /// position.
        case from(Int64, through: Int64?)
        /// The given number of bytes at the end.
        case suffix(Int64)
    }

    /// The maximum length of a header value that is parsed, in bytes.
    static let maxLength = 1_024

    public init(_ values: [String]) {
        self = values.count == 1 ? Self.parse(Array(values[0].utf8)) : .none
    }

    /// Returns the bytes to serve of a file of `size` bytes.
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
        guard value.count <= maxLength, unit.map({ $0 | 0x20 }).elementsEqual("bytes".utf8) else { return .none }
        let list = value.dropFirst(unit.count + 1)
        var spans: [Span] = []
        for piece in list.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false) {
            let trimmed = trim(piece)
            // Empty elements of a list are ignored (RFC 9110 section 5.6.1.2).
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

/// The bytes of a file that a response contains.
public enum RangeSelection: Sendable, Equatable {
    case whole
    case part(Range<Int64>)
    case unsatisfiable
}
