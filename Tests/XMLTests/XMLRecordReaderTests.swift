import TestSupport
import Testing
import XML

@Suite("XML record reader") struct XMLRecordReaderTests {
    private func read(_ text: String, piece: Int = 1 << 20, recordSize: Int = 1 << 20) throws -> [XMLRecord] {
        let reader = try XMLRecordReader(element: "reader", recordSize: recordSize)
        var found: [XMLRecord] = []
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            try reader.read(Array(rest.prefix(piece))) { found.append($0) }
            rest = rest.dropFirst(piece)
        }
        try reader.finish { found.append($0) }
        return found
    }

    private let sample = """
        <?xml version="1.0"?>
        <feed xmlns:a="http://example.com/a"><head><name>not a record</name></head>
          <reader id="1" note="a &amp; b &lt;c&gt;"><name>Ann &amp; Bob</name><a:email>ann@example.com</a:email>
            <address kind="home"><city>Ulm</city></address><blank/> <edition>x</edition><edition>y</edition></reader>
          <reader>only <![CDATA[<text>]]></reader><reader/>
        </feed>
        """

    @Test("Assigns paths to nested children, attributes and text", arguments: [1, 2, 7, 64, 100_000])
    func paths(piece: Int) throws {
        let records = try read(sample, piece: piece)
        #expect(records.count == 3)
        #expect(
            records[0].fields.map { "\($0.path)=\($0.value)" } == [
                "@id=1", "@note=a & b <c>", "name=Ann & Bob", "email=ann@example.com", "address/@kind=home",
                "address/city=Ulm", "edition=x", "edition=y",
            ])
        #expect(records[1].fields == [XMLRecord.Field(path: ".", value: "only <text>")])
        #expect(records[2].fields.isEmpty)
    }

    @Test("Records contain their line numbers")
    func lines() throws {
        #expect(try read(sample).map(\.line) == [3, 5, 5])
    }

    @Test("Rejects a truncated document")
    func truncated() {
        let bytes = Array(sample.utf8)
        for end in 0..<(bytes.count - 1) {
            #expect(throws: XMLError.self, "\(end)") { try read(String(decoding: bytes[..<end], as: UTF8.self)) }
        }
    }

    @Test("Rejects document types, entities, and excess depth and size")
    func rejected() throws {
        #expect(throws: XMLError.declaresType) {
            try read("<!DOCTYPE f [<!ENTITY x SYSTEM \"file:///etc/passwd\">]><f><reader>&x;</reader></f>")
        }
        #expect(throws: XMLError.self) { try read("<f><reader>&x;</reader></f>") }
        #expect(throws: XMLError.tooDeep(limit: 100)) {
            try read(String(repeating: "<a>", count: 101) + String(repeating: "</a>", count: 101))
        }
        #expect(throws: XMLError.recordTooLarge(limit: 100)) {
            try read("<f><reader>" + String(repeating: "x", count: 101) + "</reader></f>", recordSize: 100)
        }
        do {
            _ = try read("<f><reader>ann@example.com</rdr></f>")
            Issue.record("read")
        } catch {
            #expect(!"\(error)".contains("ann"), "the error contains nothing of the document")
        }
    }

    @Test("Reads or rejects 10,000 random documents, independent of chunk boundaries")
    func fuzz() throws {
        var random = SeededRandom(seed: 7)
        let pieces = [
            "<f>", "</f>", "<reader>", "</reader>", "<reader a='1'>", "<x>", "</x>", "text", "&amp;", "&x;",
            "<![CDATA[", "]]>",
            "<!--", "-->", "<!DOCTYPE f>", "\"", "\u{0}", "é", "<?p?>", "\n",
        ]
        for round in 0..<10_000 {
            var text = round.isMultiple(of: 3) ? "<f>" : ""
            for _ in 0..<Int.random(in: 0...8, using: &random) { text += pieces.randomElement(using: &random) ?? "" }
            if round.isMultiple(of: 3) { text += "</f>" }
            let whole = try? read(text)
            let parts = try? read(text, piece: Int.random(in: 1...5, using: &random))
            #expect((whole == nil) == (parts == nil), "\(text)")
            if let whole, let parts { #expect(whole.map(\.fields) == parts.map(\.fields), "\(text)") }
        }
    }
}
