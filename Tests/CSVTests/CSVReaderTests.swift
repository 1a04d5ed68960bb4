import CSV
import TestSupport
import Testing

/// Reads a whole text in chunks of the given size.
func outcomes(_ bytes: some Sequence<UInt8>, chunk: Int = .max, format: CSVFormat = CSVFormat()) -> [CSVReader.Outcome]
{
    var reader = CSVReader(format: format)
    var all: [CSVReader.Outcome] = []
    var rest = Array(bytes)[...]
    while !rest.isEmpty {
        reader.read(rest.prefix(chunk)) { all.append($0) }
        rest = rest.dropFirst(chunk)
    }
    reader.finish { all.append($0) }
    return all
}

func outcomes(_ text: String, chunk: Int = .max, format: CSVFormat = CSVFormat()) -> [CSVReader.Outcome] {
    outcomes(text.utf8, chunk: chunk, format: format)
}

private func row(_ line: Int, _ fields: String...) -> CSVReader.Outcome { .success(CSVRow(line: line, fields: fields)) }
private func bad(_ line: Int, _ reason: CSVRowError.Reason) -> CSVReader.Outcome {
    .failure(CSVRowError(line: line, reason: reason))
}

@Suite("CSV reader") struct CSVReaderTests {
    @Test(
        "Reads fields, quotes and line ends according to RFC 4180",
        arguments: [
            ("a,b\r\nc,d\r\n", [row(1, "a", "b"), row(2, "c", "d")]),
            ("a,b\nc,d", [row(1, "a", "b"), row(2, "c", "d")]),
            ("a\rb\r", [row(1, "a"), row(2, "b")]),
            ("\"a,b\",\"c\"\"d\"\n", [row(1, "a,b", "c\"d")]),
            ("\"two\r\nlines\",x\r\nnext,y", [row(1, "two\r\nlines", "x"), row(3, "next", "y")]),
            (",\n", [row(1, "", "")]),
            ("\"\"\n", [row(1, "")]),
            ("\n\r\n\na\n\n", [row(4, "a")]),
            ("", []),
            ("\u{FEFF}a,b", [row(1, "a", "b")]),
            ("\u{FEFF}\"a\",b", [row(1, "a", "b")]),
            ("é,€,😀\n", [row(1, "é", "€", "😀")]),
            ("a, b \n", [row(1, "a", " b ")]),
        ])
    func reading(text: String, expected: [CSVReader.Outcome]) {
        for chunk in [1, 2, 3, 7, Int.max] {
            #expect(outcomes(text, chunk: chunk) == expected)
        }
    }

    @Test("Supports semicolons and tabs as separators")
    func separators() {
        #expect(outcomes("a;b,c\n", format: CSVFormat(separator: .semicolon)) == [row(1, "a", "b,c")])
        #expect(outcomes("a\tb;c\n", format: CSVFormat(separator: .tab)) == [row(1, "a", "b;c")])
    }

    @Test(
        "Reports a bad row by its first line and continues with the next row",
        arguments: [
            ("a\"b\nnext\n", [bad(1, .strayQuote), row(2, "next")]),
            ("\"a\"b,c\r\nnext\r\n", [bad(1, .strayQuote), row(2, "next")]),
            (
                "x\n\"never closed\nnext,1\nlast,2\n",
                [
                    row(1, "x"), bad(2, .unterminatedQuote), row(3, "next", "1"), row(4, "last", "2"),
                ]
            ),
            ("\"open\n\"then\",x\n", [bad(1, .strayQuote), row(2, "then", "x")]),
            ("\"open\r\n\r\nlast", [bad(1, .unterminatedQuote), row(3, "last")]),
            ("\"open\n\nlast", [bad(1, .unterminatedQuote), row(3, "last")]),
            ("\"", [bad(1, .unterminatedQuote)]),
        ])
    func recovery(text: String, expected: [CSVReader.Outcome]) {
        for chunk in [1, 2, 3, 7, Int.max] {
            #expect(outcomes(text, chunk: chunk) == expected)
        }
    }

    @Test("Rejects invalid UTF-8 per field, also if neighbouring fields would form a character")
    func invalidUTF8() {
        #expect(outcomes([0x61, 0x2C, 0xFF, 0x0A, 0x62]) == [bad(1, .invalidUTF8(field: 2)), row(2, "b")])
        #expect(outcomes([0xC3, 0x2C, 0xA9, 0x0A]) == [bad(1, .invalidUTF8(field: 1))])
        #expect(outcomes([0xEF, 0xBB]) == [bad(1, .invalidUTF8(field: 1))])
    }

    @Test("Rejects rows that are too long or have too many fields, with bounded memory")
    func limits() {
        let format = CSVFormat(maxRowLength: 10, maxFields: 3)
        #expect(
            outcomes("12345678901,x\nok\n", chunk: 4, format: format) == [bad(1, .tooLong(limit: 10)), row(2, "ok")])
        #expect(
            outcomes("\"1234\n5678901\nok\n", chunk: 4, format: format)
                == [bad(1, .tooLong(limit: 10)), row(2, "5678901"), row(3, "ok")])
        #expect(
            outcomes("\"" + String(repeating: "\"\"", count: 50) + "\nok\n", format: format)
                == [bad(1, .tooLong(limit: 10)), row(2, "ok")])
        #expect(outcomes("a,b,c,d\nok\n", format: format) == [bad(1, .tooManyFields(limit: 3)), row(2, "ok")])
        #expect(outcomes("a,b,c\n", format: format) == [row(1, "a", "b", "c")])
    }

    @Test("Reads 10,000 random byte strings without a crash and independent of chunk boundaries")
    func hostileBytes() {
        var random = SeededRandom(seed: 1)
        let format = CSVFormat(maxRowLength: 12, maxFields: 4)
        for _ in 0..<10_000 {
            let bytes = random.hostileBytes(upTo: 24, specialCharacters: "\"\",,\r\n\na")
            let whole = outcomes(bytes, format: format)
            let lines = whole.map { outcome in
                switch outcome {
                case .success(let row): row.line
                case .failure(let error): error.line
                }
            }
            let pieces = outcomes(bytes, chunk: 1 + Int(random.next() % 5), format: format)
            guard lines == lines.sorted(), whole == pieces else {
                Issue.record("differs for \(bytes)")
                return
            }
        }
    }
}
