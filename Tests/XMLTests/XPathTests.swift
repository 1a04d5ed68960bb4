import TestSupport
import Testing
import XML

@Suite("XPath expressions")
struct XPathTests {
    private func values(_ expression: String, _ namespaces: [String: String] = [:], in text: String) throws -> [String]
    {
        try XPath.values(of: [try XPath(expression, namespaces: namespaces)], in: Array(text.utf8))[0]
    }

    @Test("Returns each node as one text in document order, CDATA and descendants included")
    func nodes() throws {
        let text = "<a><b>1</b><c><b>2<d>3</d></b></c><b><![CDATA[<4>]]></b><b/></a>"
        #expect(try values("//b", in: text) == ["1", "23", "<4>", ""])
        #expect(try values("/a/b[1]/text()", in: text) == ["1"])
        #expect(try values("//z", in: text) == [])
        #expect(try values("//b[2] | //b[1]", in: text) == ["1", "23", "<4>"])
        #expect(try values("/a/@x | /a/@y", in: "<a y='2' x='1'/>").sorted() == ["1", "2"])
    }

    @Test("Returns numbers, Booleans and strings as one text, and an empty string as none")
    func others() throws {
        let text = "<a><b>1</b><b/></a>"
        #expect(try values("count(//b)", in: text) == ["2"])
        #expect(try values("boolean(//z)", in: text) == ["false"])
        #expect(try values("string(//b[1])", in: text) == ["1"])
        #expect(try values("string(//b[2])", in: text) == [])
        #expect(try values("string(//z)", in: text) == [])
        #expect(try values("number(//z)", in: text) == [])
    }

    @Test("Resolves prefixes by the given namespaces")
    func namespaces() throws {
        let text = "<x:a xmlns:x='urn:one'><b xmlns='urn:two'>1</b><b>2</b></x:a>"
        #expect(try values("/s:a/t:b", ["s": "urn:one", "t": "urn:two"], in: text) == ["1"])
        #expect(try values("/s:a/b", ["s": "urn:one"], in: text) == ["2"])
        #expect(try values("/a", in: text) == [])
    }

    @Test(
        "Rejects an invalid expression and unknown prefixes and functions",
        arguments: ["", "//", "/a[", "s:a", "frobnicate(.)", "$x", "//a'", "document('/etc/passwd')"])
    func notAnXPath(expression: String) {
        #expect(throws: XMLError.notAnXPath(expression)) { try XPath(expression) }
    }

    @Test("Rejects a document type before parsing and fetches nothing")
    func entities() throws {
        let bomb = "<!DOCTYPE a [<!ENTITY b SYSTEM 'file:///etc/passwd'>]><a>&b;</a>"
        #expect(throws: XMLError.declaresType) { try values("//a", in: bomb) }
        #expect(throws: XMLError.self) { try values("//a", in: "<a>") }
        #expect(throws: XMLError.self) { try values("//a", in: "") }
        #expect(throws: XMLError.tooLarge(limit: 10)) {
            try XPath.values(of: [], in: Array("<aaaaaaaaaa/>".utf8), limits: .init(size: 10))
        }
    }

    @Test("Limits the work and the result size of an expression")
    func limits() throws {
        let many = "<a>" + String(repeating: "<b/>", count: 3000) + "</a>"
        #expect(throws: XMLError.notEvaluated("//b[count(//b[count(//b) > 0]) > 0]")) {
            try values("//b[count(//b[count(//b) > 0]) > 0]", in: many)
        }
        let deep =
            String(repeating: "<b>", count: 200) + String(repeating: "x", count: 1000)
            + String(repeating: "</b>", count: 200)
        #expect(throws: XMLError.tooManyMatches) {
            try XPath.values(of: [try XPath("//b")], in: Array(deep.utf8), limits: .init(size: 10_000))
        }
        #expect(throws: XMLError.self) {
            try values("//b", in: String(repeating: "<b>", count: 5000) + String(repeating: "</b>", count: 5000))
        }
    }

    @Test("One expression serves concurrent tasks")
    func concurrency() async throws {
        let path = try XPath("count(//b[. = 'x'])")
        let bytes = Array("<a><b>x</b><b>y</b><b>x</b></a>".utf8)
        try await withThrowingTaskGroup(of: [[String]].self) { group in
            for _ in 0..<500 { group.addTask { try XPath.values(of: [path], in: bytes) } }
            for try await values in group { #expect(values == [["2"]]) }
        }
    }

    @Test("Reads or rejects 10,000 random documents without a crash")
    func fuzz() throws {
        var random = SeededRandom(seed: 41)
        let paths = try ["//a", "/a/b/@c", "count(//*)", "//b[. = 'x']", "string(//a)", "//comment() | //@*"]
            .map { try XPath($0) }
        let words = [
            "<a>", "</a>", "<b c='1'>", "</b>", "<b/>", "x", "<![CDATA[", "]]>", "<!--", "-->", "&amp;", "&#0;", "<?",
        ]
        for _ in 0..<10_000 {
            var bytes: [UInt8] = []
            if Bool.random(using: &random) {
                for _ in 0..<Int.random(in: 0...12, using: &random) {
                    bytes += Array(words.randomElement(using: &random)!.utf8)
                }
            } else {
                bytes =
                    Array("<a>".utf8) + random.hostileBytes(upTo: 40, specialCharacters: "<>/&;ab='\"!-[]")
                    + Array("</a>".utf8)
            }
            if let values = try? XPath.values(of: paths, in: bytes) {
                #expect(values.count == paths.count)
            }
        }
    }
}
