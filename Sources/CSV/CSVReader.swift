/// A reader for separated values (RFC 4180) from chunks of bytes of any size.
///
/// Lines end in CR LF, LF or CR. A UTF-8 byte order mark and empty lines are skipped. Every sequence of bytes
/// yields rows and row errors. An unreadable row affects only itself: reading continues after the row's first line,
/// because a missing quote must not consume the rest of the file.
public struct CSVReader: Sendable {
    public typealias Outcome = Result<CSVRow, CSVRowError>

    private enum Place {
        case fieldStart
        case unquoted
        case quoted
        /// The position after a quote inside quotes: the end of the field, or the first half of a doubled quote.
        case quoteInQuoted
        /// A rejected row, skipped until its line ends.
        case skipping
    }

    private let format: CSVFormat
    private var place = Place.fieldStart
    private var line = 1
    private var rowLine = 1
    private var isAfterCR = false
    private var byteOrderMarkBytesSeen = 0
    /// The bytes of the row's fields in sequence. `ends` holds the end of each field.
    private var row: [UInt8] = []
    private var ends: [Int] = []
    private var highBits: UInt8 = 0
    private var hasQuotedField = false
    /// The row's second and later lines, stored so that they can be read again if the row is malformed.
    private var laterLines: [UInt8] = []
    private var isOnLaterLine = false
    private var firstLineEndsInCR = false

    public init(format: CSVFormat = CSVFormat()) {
        self.format = format
    }

    /// Reads the next bytes, and passes each completed row to `body`.
    ///
    /// - Throws: only errors from `body`. The reader is unusable afterwards.
    public mutating func read(_ bytes: some Sequence<UInt8>, _ body: (Outcome) throws -> Void) rethrows {
        let done: Void? = try bytes.withContiguousStorageIfAvailable { try consume($0, body) }
        if done == nil { try Array(bytes).withUnsafeBufferPointer { try consume($0, body) } }
    }

    /// Ends the file and passes the remaining rows to `body`.
    public mutating func finish(_ body: (Outcome) throws -> Void) rethrows {
        if (1..<Self.byteOrderMark.count).contains(byteOrderMarkBytesSeen) {
            let begun = Self.byteOrderMark.prefix(byteOrderMarkBytesSeen)
            byteOrderMarkBytesSeen = Self.byteOrderMark.count
            for byte in begun { try take(byte, body) }
        }
        while true {
            switch place {
            case .fieldStart, .unquoted, .quoteInQuoted:
                try endRow(body)
                return
            case .skipping:
                startRow()
                return
            case .quoted:
                try reject(.unterminatedQuote, body)
            }
        }
    }

    private mutating func consume(_ bytes: UnsafeBufferPointer<UInt8>, _ body: (Outcome) throws -> Void) rethrows {
        var index = bytes.startIndex
        while index < bytes.endIndex, byteOrderMarkBytesSeen < Self.byteOrderMark.count {
            guard bytes[index] == Self.byteOrderMark[byteOrderMarkBytesSeen] else {
                let begun = Self.byteOrderMark.prefix(byteOrderMarkBytesSeen)
                byteOrderMarkBytesSeen = Self.byteOrderMark.count
                for byte in begun { try take(byte, body) }
                break
            }
            byteOrderMarkBytesSeen += 1
            index += 1
        }
        while index < bytes.endIndex {
            if place == .unquoted || place == .quoted {
                // Most bytes have no special meaning, so they are appended in one piece.
                let start = index
                let stops = place == .quoted
                var high: UInt8 = 0
                while index < bytes.endIndex {
                    let byte = bytes[index]
                    if stops ? isSpecialInQuotes(byte) : isSpecial(byte) { break }
                    high |= byte
                    index += 1
                }
                highBits |= high
                if index > start {
                    let piece = bytes[start..<index]
                    row.append(contentsOf: piece)
                    if isOnLaterLine { laterLines.append(contentsOf: piece) }
                    isAfterCR = false
                    if row.count > format.maxRowLength { try reject(.tooLong(limit: format.maxRowLength), body) }
                }
                guard index < bytes.endIndex else { return }
            }
            try take(bytes[index], body)
            index += 1
        }
    }

    private func isSpecial(_ byte: UInt8) -> Bool {
        byte == Self.lineFeed || byte == Self.carriageReturn || byte == Self.quote || byte == format.separator.rawValue
    }

    private func isSpecialInQuotes(_ byte: UInt8) -> Bool {
        byte == Self.quote || byte == Self.lineFeed || byte == Self.carriageReturn
    }

    private mutating func take(_ byte: UInt8, _ body: (Outcome) throws -> Void) rethrows {
        let completesCRLF = isAfterCR && byte == Self.lineFeed
        isAfterCR = byte == Self.carriageReturn
        let endsLine = byte == Self.carriageReturn || byte == Self.lineFeed
        if endsLine, !completesCRLF { line += 1 }
        if isOnLaterLine { laterLines.append(byte) }

        switch place {
        case .fieldStart where byte == Self.quote:
            hasQuotedField = true
            place = .quoted
        case .quoteInQuoted where byte == Self.quote:
            append(byte)
            place = .quoted
            if row.count > format.maxRowLength { try reject(.tooLong(limit: format.maxRowLength), body) }
        case .fieldStart where endsLine && completesCRLF && row.isEmpty && ends.isEmpty:
            rowLine = line
        case .fieldStart where endsLine, .unquoted where endsLine, .quoteInQuoted where endsLine:
            try endRow(body)
        case .fieldStart where byte == format.separator.rawValue, .unquoted where byte == format.separator.rawValue,
            .quoteInQuoted where byte == format.separator.rawValue:
            try endField(body)
        case .unquoted where byte == Self.quote, .quoteInQuoted:
            try reject(.strayQuote, body)
        case .fieldStart, .unquoted:
            append(byte)
            place = .unquoted
        case .quoted where byte == Self.quote:
            place = .quoteInQuoted
        case .quoted:
            append(byte)
            if endsLine, !isOnLaterLine {
                isOnLaterLine = true
                firstLineEndsInCR = isAfterCR
            }
            if row.count > format.maxRowLength { try reject(.tooLong(limit: format.maxRowLength), body) }
        case .skipping:
            if endsLine { startRow() }
        }
    }

    private mutating func append(_ byte: UInt8) {
        highBits |= byte
        row.append(byte)
    }

    private mutating func endField(_ body: (Outcome) throws -> Void) rethrows {
        ends.append(row.count)
        place = .fieldStart
        if ends.count >= format.maxFields { try reject(.tooManyFields(limit: format.maxFields), body) }
    }

    private mutating func endRow(_ body: (Outcome) throws -> Void) rethrows {
        let isEmptyLine = row.isEmpty && ends.isEmpty && !hasQuotedField
        ends.append(row.count)
        let outcome = isEmptyLine ? nil : decoded()
        startRow()
        if let outcome { try body(outcome) }
    }

    private func decoded() -> Outcome {
        var fields: [String] = []
        fields.reserveCapacity(ends.count)
        var start = 0
        for end in ends {
            let bytes = row[start..<end]
            start = end
            if highBits < 0x80 {
                fields.append(String(decoding: bytes, as: UTF8.self))
            } else if let text = String(validating: bytes, as: UTF8.self) {
                fields.append(text)
            } else {
                return .failure(CSVRowError(line: rowLine, reason: .invalidUTF8(field: fields.count + 1)))
            }
        }
        return .success(CSVRow(line: rowLine, fields: fields))
    }

    /// Reports the row as unreadable, and continues after its first line.
    private mutating func reject(_ reason: CSVRowError.Reason, _ body: (Outcome) throws -> Void) rethrows {
        let failed = CSVRowError(line: rowLine, reason: reason)
        guard isOnLaterLine else {
            row.removeAll(keepingCapacity: true)
            place = .skipping
            try body(.failure(failed))
            return
        }
        let again = laterLines
        line = rowLine + 1
        isAfterCR = firstLineEndsInCR
        startRow()
        try body(.failure(failed))
        // The total time is linear. A line with quotes open at both ends has an even number of quotes. Read on its
        // own, it closes every quote that it opens, so it is never read a third time.
        try again.withUnsafeBufferPointer { try consume($0, body) }
    }

    private mutating func startRow() {
        row.removeAll(keepingCapacity: true)
        ends.removeAll(keepingCapacity: true)
        laterLines.removeAll()
        isOnLaterLine = false
        hasQuotedField = false
        highBits = 0
        rowLine = line
        place = .fieldStart
    }

    private static let quote = UInt8(ascii: "\"")
    private static let carriageReturn = UInt8(ascii: "\r")
    private static let lineFeed = UInt8(ascii: "\n")
    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
}
