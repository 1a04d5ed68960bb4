import Foundation
import Settings
import TestSupport
import Testing

@testable import Backends

@Suite("Feed formats") struct FeedReadingTests {
    private func read(
        _ bytes: [UInt8], _ settings: String, requiredFields: Set<String> = [], piece: Int = 1 << 20
    ) throws -> (names: [String], items: [FeedItem]) {
        let section = try YAMLSettings.read(text: settings, name: "gatefold.yaml", folder: "/nowhere")
        var parser = try FeedFormat(section).parser(FeedFields(), requiredFields: requiredFields)
        var items: [FeedItem] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            try parser.read(Array(rest.prefix(piece))) { items.append($0) }
            rest = rest.dropFirst(piece)
        }
        try parser.finish { items.append($0) }
        return (parser.fields.names, items)
    }

    private func texts(_ bytes: [UInt8], _ settings: String) throws -> [[String]] {
        let (names, items) = try read(bytes, settings)
        return items.map { item in
            switch item {
            case .row(let row): row.cells.map { "\(names[$0.field])=\($0.text)" }
            case .bad(let issue): ["\(issue)"]
            }
        }
    }

    @Test("Latin-1, Windows-1252 and UTF-8 are decoded, and invalid bytes make a bad row")
    func encodings() throws {
        func csv(_ bytes: [UInt8], _ encoding: String) throws -> [[String]] {
            try texts(Array("a\n".utf8) + bytes, "{format: csv, layout: {encoding: \(encoding)}}")
        }
        #expect(try csv([0x4D, 0xFC, 0xDF], "latin1") == [["a=Müß"]])
        #expect(try csv([0x80, 0x92, 0xFC], "windows-1252") == [["a=€’ü"]])
        #expect(try csv(Array("Müß".utf8), "utf-8") == [["a=Müß"]])
        #expect(try csv([0xEF, 0xBB, 0xBF, 0x61], "utf-8").count == 1)
        for (byte, encoding) in [(UInt8(0x92), "latin1"), (0x81, "windows-1252"), (0xFC, "utf-8")] {
            #expect(try csv([0x61, byte], encoding) == [["line 2: field 1: expected UTF-8"]])
        }
        for byte in UInt8.min...UInt8.max {
            let own = String(data: Data([byte]), encoding: .windowsCP1252)
            let text = String(validating: TextEncoding.windows1252.utf8([byte]), as: UTF8.self)
            if let text { #expect(text == own) }
            #expect((text == nil) == [0x81, 0x8D, 0x8F, 0x90, 0x9D].contains(byte))
        }
    }

    @Test("Byte order marks, other delimiters, configured names and skipped lines are supported")
    func separated() throws {
        #expect(try texts([0xEF, 0xBB, 0xBF] + Array("a,b\n1,2\n".utf8), "{format: csv}") == [["a=1", "b=2"]])
        #expect(try texts(Array("a|b\n1|\n".utf8), "{format: csv, layout: {delimiter: \"|\"}}") == [["a=1"]])
        #expect(try texts(Array("a\tb\n1\t2,3\n".utf8), "{format: tsv}") == [["a=1", "b=2,3"]])
        #expect(
            try texts(
                Array("made today\n1;2\n".utf8), "{format: csv, layout: {delimiter: ;, names: [x, y], skip_lines: 1}}")
                == [["x=1", "y=2"]])
        #expect(
            try texts(
                Array("made today\n1;2\n3\n".utf8),
                "{format: csv, layout: {delimiter: ;, names: [x, y], skip_lines: 1}}")[1]
                == ["line 3: expected 2 fields, found 1"])
    }

    private let fixed =
        "{format: fixed, layout: {columns: [{name: id, start: 1, length: 3}, {name: n, start: 4, length: 5}]ENC}}"

    @Test("Fixed columns are counted in characters, and lines that are too short are bad rows")
    func fixedWidth() throws {
        let plain = fixed.replacing("ENC", with: "")
        #expect(
            try texts(Array("001Müße xx\r\n002 ann \n".utf8), plain) == [["id=001", "n=Müße"], ["id=002", "n=ann"]])
        #expect(
            try texts(Array("001Müß\n".utf8), plain) == [["line 1: expected at least 8 characters, found 6"]])
        #expect(
            try texts(Array("001Mü\n".utf8), fixed.replacing("ENC", with: ", short_lines: true")) == [
                ["id=001", "n=Mü"]
            ])
        #expect(
            try texts(
                Array("001M".utf8) + [0xFC, 0xDF, 0x20, 0x20], fixed.replacing("ENC", with: ", encoding: latin1"))
                == [["id=001", "n=Müß"]])
        #expect(try texts([0x30, 0xFF, 0x0A], plain) == [["line 1: expected utf-8"]])
        let long = [UInt8](repeating: 0x61, count: FeedFormat.maxRowLength + 1) + Array("\n001abcde\n".utf8)
        #expect(try texts(long, plain).count == 2)
    }

    @Test("XML fields are paths, and a field that no record has is missing")
    func xml() throws {
        let settings = "{format: xml, layout: {record: reader}}"
        let bytes = Array("<f><reader id='1'><mail>a@b</mail></reader><reader id='2'/></f>".utf8)
        #expect(try texts(bytes, settings) == [["@id=1", "mail=a@b"], ["@id=2"]])
        #expect(throws: FeedRejection.missingField("phone")) {
            try read(bytes, settings, requiredFields: ["@id", "phone"])
        }
        _ = try read(bytes, "{format: xml, layout: {record: reader, optional: [phone]}}", requiredFields: ["phone"])
        #expect(throws: FeedRejection.self) { try texts(Array(bytes.dropLast(3)), settings) }
    }

    @Test("10,000 random fixed-width files are read to the end, with the same rows for any chunk size")
    func fuzz() throws {
        var random = SeededRandom(seed: 11)
        let layout = try FixedWidthLayout(
            try YAMLSettings.read(
                text: "{columns: [{name: id, start: 1, length: 3}, {name: n, start: 3, length: 4}]}", name: "x",
                folder: "/"))
        for round in 0..<10_000 {
            let bytes = random.hostileBytes(upTo: 40, specialCharacters: "\n\r ab1é\u{FEFF}")
            let encoding = TextEncoding.allCases[round % 3]
            func items(_ piece: Int) -> [FeedItem] {
                var parser = FixedWidthFeedParser(layout, FeedFields(), encoding: encoding, skip: round % 2)
                var found: [FeedItem] = []
                var rest = bytes[...]
                while !rest.isEmpty {
                    parser.read(Array(rest.prefix(piece))) { found.append($0) }
                    rest = rest.dropFirst(piece)
                }
                parser.finish { found.append($0) }
                return found
            }
            #expect(items(100) == items(Int.random(in: 1...7, using: &random)))
        }
    }

    @Test("Cells survive encoding and decoding, and decoding accepts arbitrary bytes")
    func cells() throws {
        var random = SeededRandom(seed: 5)
        for _ in 0..<8_000 {
            let cells = (0..<Int.random(in: 0...5, using: &random)).map { _ in
                FeedRow.Cell(
                    field: Int.random(in: 0...400, using: &random),
                    text: String(repeating: "ü", count: Int.random(in: 0...200, using: &random)))
            }
            #expect(FeedCells.decode(FeedCells.encode(cells)) == cells)
            _ = FeedCells.decode(random.bytes(Int.random(in: 0...30, using: &random)))
        }
    }
}
