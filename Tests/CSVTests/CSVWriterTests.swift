import CSV
import TestSupport
import Testing

@Suite("CSV writer") struct CSVWriterTests {
    @Test("Quotes fields only where necessary")
    func quoting() {
        var writer = CSVWriter()
        writer.write(["plain", "a,b", "say \"so\"", "two\nlines", ""])
        #expect(
            String(decoding: writer.take(), as: UTF8.self) == "plain,\"a,b\",\"say \"\"so\"\"\",\"two\nlines\",\r\n")
        #expect(writer.take().isEmpty)
    }

    @Test(
        "Pitfall 13: neutralises spreadsheet formulas, and the import restores them",
        arguments: ["=1+1", "+1", "-1", "@SUM(A1)", "\tx", "\rx", "'=1", "''@x", "'"])
    func formulas(cell: String) {
        let written = SpreadsheetFormula.neutralise(cell)
        #expect(!["=", "+", "-", "@", "\t", "\r"].contains(String(written.prefix(1))))
        #expect(SpreadsheetFormula.restore(written) == cell)
    }

    @Test("Keeps ordinary cells unchanged", arguments: ["", "a", "'quoted'", "a=b", "1-1", "'"])
    func ordinary(cell: String) {
        #expect(SpreadsheetFormula.neutralise(cell) == cell)
        #expect(SpreadsheetFormula.restore(cell) == cell)
    }

    @Test("Any row survives a round trip")
    func roundTrip() {
        var random = SeededRandom(seed: 2)
        for separator in CSVFormat.Separator.allCases {
            for _ in 0..<3000 {
                let fields = (0..<Int.random(in: 1...4, using: &random)).map { _ in
                    String(decoding: random.hostileBytes(upTo: 8, specialCharacters: "=+-@'\"\t\r\n,;é"), as: UTF8.self)
                }
                var writer = CSVWriter(separator: separator)
                writer.write(fields)
                let read = outcomes(writer.take(), format: CSVFormat(separator: separator))
                guard read.count == 1, case .success(let row) = read[0] else {
                    Issue.record("\(fields) was read as \(read)")
                    return
                }
                #expect(
                    row.fields.map(SpreadsheetFormula.restore).map { Array($0.utf8) } == fields.map { Array($0.utf8) })
            }
        }
    }
}
