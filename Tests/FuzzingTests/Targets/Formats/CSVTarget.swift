import CSV

extension FuzzTarget {
    static let csv = FuzzTarget("csv", upTo: 2048, of: "CSVReader", "SpreadsheetFormula") { bytes in
        let tight = CSVFormat(maxRowLength: 40, maxFields: 5)
        let whole = outcomes([bytes], tight)
        promise(whole == outcomes(pieces(bytes), tight), "parsing in pieces differs from parsing at once")
        for separator in CSVFormat.Separator.allCases {
            let format = CSVFormat(separator: separator)
            for case .success(let row) in outcomes([bytes], format) {
                var writer = CSVWriter(separator: separator)
                // In the second row, because U+FEFF at the beginning of a file is a byte order mark.
                writer.write(["a"])
                writer.write(row.fields)
                let again = outcomes([writer.take()], format)
                guard again.count == 2, case .success(let read) = again[1] else {
                    promise(false, "a written row could not be parsed")
                    continue
                }
                promise(
                    read.fields.map { Array(SpreadsheetFormula.restore($0).utf8) } == row.fields.map { Array($0.utf8) },
                    "a row does not round-trip")
            }
        }
    }

    private static func outcomes(_ pieces: [[UInt8]], _ format: CSVFormat) -> [CSVReader.Outcome] {
        var reader = CSVReader(format: format)
        var all: [CSVReader.Outcome] = []
        for piece in pieces { reader.read(piece) { all.append($0) } }
        reader.finish { all.append($0) }
        return all
    }
}
