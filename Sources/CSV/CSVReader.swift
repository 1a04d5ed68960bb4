/// Reads separated values (RFC 4180) from chunks of bytes of any size.
///
/// Lines end in CR LF, LF or CR; a UTF-8 byte order mark is passed over, and so are empty lines. Total: every sequence of
/// bytes gives rows and row errors. A row that can not be read costs only itself: reading goes on with the line after its
/// first, since a forgotten quote must not swallow the rest of the file.
public struct CSVReader: Sendable {
    public typealias Outcome = Result<CSVRow, CSVRowError>

    private enum Place {
        case fieldStart
        case unquoted
        case quoted
        /// Behind a quote inside quotes: the end of the field, or the first half of a doubled quote.
        case quoteInQuoted
        /// In a row that is given up, until its line ends.
        case skipping
    }

    private let format: CSVFormat
    private var place = Place.fieldStart
    private var line = 1
    private var rowLine = 1
    private var isAfterCR = false
    private var marksSeen = 0
    /// The bytes of the row's fields one after another, and where each field ends.
    private var row: [UInt8] = []
    private var ends: [Int] = []
    private var highBits: UInt8 = 0
    private var hasQuotedField = false
    /// What stands on the row's second and later lines, kept to be read again if the row turns out to be broken.
    private var laterLines: [UInt8] = []
    private var isOnLaterLine = false
    private var firstLineEndsInCR = false

    public init(format: CSVFormat = CSVFormat()) {
        self.format = format
    }

    /// Takes the next bytes, and hands over every row they complete.
    ///
    /// - Throws: only what `body` throws; the reader is of no use afterwards.
    public mutating func read(_ bytes: some Sequence<UInt8>, _ body: (Outcome) throws -> Void) rethrows {
        let done: Void? = try bytes.withContiguousStorageIfAvailable { try consume($0, body) }
        if done == nil { try Array(bytes).withUnsafeBufferPointer { try consume($0, body) } }
    }

    /// Ends the file: hands over what is left.
    public mutating func finish(_ body: (Outcome) throws -> Void) rethrows {
        if (1..<Self.mark.count).contains(marksSeen) {
            let begun = Self.mark.prefix(marksSeen)
            marksSeen = Self.mark.count
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
                try giveUp(.unterminatedQuote, body)
            }
        }
    }

    private mutating func consume(_ bytes: UnsafeBufferPointer<UInt8>, _ body: (Outcome) throws -> Void) rethrows {
        var index = bytes.startIndex
        while index < bytes.endIndex, marksSeen < Self.mark.count {
            guard bytes[index] == Self.mark[marksSeen] else {
                let begun = Self.mark.prefix(marksSeen)
                marksSeen = Self.mark.count
                for byte in begun { try take(byte, body) }
                break
            }
            marksSeen += 1
            index += 1
        }
        while index < bytes.endIndex {
            if place == .unquoted || place == .quoted {
                // Most bytes mean themselves: they are taken in one piece.
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
                    if row.count > format.longestRow { try giveUp(.tooLong(most: format.longestRow), body) }
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
            if row.count > format.longestRow { try giveUp(.tooLong(most: format.longestRow), body) }
        case .fieldStart where endsLine && completesCRLF && row.isEmpty && ends.isEmpty:
            rowLine = line
        case .fieldStart where endsLine, .unquoted where endsLine, .quoteInQuoted where endsLine:
            try endRow(body)
        case .fieldStart where byte == format.separator.rawValue, .unquoted where byte == format.separator.rawValue,
            .quoteInQuoted where byte == format.separator.rawValue:
            try endField(body)
        case .unquoted where byte == Self.quote, .quoteInQuoted:
            try giveUp(.strayQuote, body)
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
            if row.count > format.longestRow { try giveUp(.tooLong(most: format.longestRow), body) }
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
        if ends.count >= format.mostFields { try giveUp(.tooManyFields(most: format.mostFields), body) }
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

    /// Reports the row, and reads on behind its first line.
    private mutating func giveUp(_ reason: CSVRowError.Reason, _ body: (Outcome) throws -> Void) rethrows {
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
        // Linear in all: a line with quotes open at both its ends has an even number of them, so read by itself it opens
        // none that it does not close, and is never read a third time.
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
    private static let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
}
