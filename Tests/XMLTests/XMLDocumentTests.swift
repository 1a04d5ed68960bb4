import TestSupport
import Testing
import XML

@Suite("XML document parser")
struct XMLDocumentTests {
    private func root(_ text: String, limits: XMLDocument.Limits = .init()) throws -> XMLElement {
        try XMLDocument(parsing: text.utf8, limits: limits).root
    }

    @Test("Reads names, attributes, children, text and comments")
    func document() throws {
        let root = try root(
            #"<?xml version="1.0"?><a x="1" y="&lt;"><b>one</b> t<!-- c --><![CDATA[<w>]]>o <b>&#x41;</b><c/></a>"#)
        #expect(root.name == "a")
        #expect(root.attributes == ["x": "1", "y": "<"])
        #expect(root.children.map(\.name) == ["b", "b", "c"])
        #expect(root.children.map(\.text) == ["one", "A", ""])
        #expect(root.text == " t<w>o ")
        #expect(root.comments == [" c "])
        #expect(root.child("b")?.text == "one")
        #expect(root.child("z") == nil)
    }

    @Test("Drops prefixes and prefers an attribute without a namespace")
    func namespaces() throws {
        let root = try root(#"<n:a xmlns:n="urn:n" n:x="1" x="2"><n:b/></n:a>"#)
        #expect(root.name == "a")
        #expect(root.attributes == ["x": "2"])
        #expect(root.children.map(\.name) == ["b"])
    }

    @Test("Reads encodings other than UTF-8")
    func encodings() throws {
        let latin = Array(#"<?xml version="1.0" encoding="ISO-8859-1"?><a>"#.utf8) + [0xE4] + Array("</a>".utf8)
        #expect(try XMLDocument(parsing: latin).root.text == "ä")
        let units = "<a>ö</a>".utf16
        let wide: [UInt8] = [0xFF, 0xFE] + units.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] }
        #expect(try XMLDocument(parsing: wide).root.text == "ö")
    }

    @Test(
        "Rejects any document with a DOCTYPE",
        arguments: [
            "<!DOCTYPE a><a/>",
            "<!DOCTYPE a [<!ENTITY e \"x\">]><a>&e;</a>",
            "<!DOCTYPE a [<!ENTITY e SYSTEM \"file:///etc/passwd\">]><a>&e;</a>",
            "<!DOCTYPE a SYSTEM \"http://127.0.0.1:1/a.dtd\"><a/>",
            "<!DOCTYPE a [<!ENTITY % p SYSTEM \"http://127.0.0.1:1/a.dtd\"> %p;]><a/>",
            "<!DOCTYPE a [<!ENTITY b \"cccccccccc\"><!ENTITY a \"&b;&b;&b;&b;\">]><a>&a;</a>",
        ])
    func documentType(text: String) {
        #expect(throws: XMLError.declaresType) { try root(text) }
    }

    @Test(
        "Reports a malformed document with its line",
        arguments: ["", " ", "text", "<a>", "<a></b>", "<a/><b/>", "<a b=1/>", "<a>&undeclared;</a>", "<a>\u{1}</a>"])
    func malformed(text: String) {
        #expect {
            try root(text)
        } throws: { error in
            if case .malformed(let cause) = error as? XMLError { cause.contains("line") || text.isEmpty } else { false }
        }
    }

    @Test("Rejects a document beyond its size or depth limit")
    func limits() throws {
        let limits = XMLDocument.Limits(size: 40, depth: 3)
        #expect(try root("<a><b><c/></b></a>", limits: limits).name == "a")
        #expect(throws: XMLError.tooDeep(limit: 3)) { try root("<a><b><c><d/></c></b></a>", limits: limits) }
        #expect(throws: XMLError.tooLarge(limit: 40)) {
            try root("<a>" + String(repeating: "x", count: 34) + "</a>", limits: limits)
        }
        let deep = String(repeating: "<a>", count: 100_000) + String(repeating: "</a>", count: 100_000)
        #expect(throws: XMLError.self) { try root(deep) }
    }

    @Test("Parses or rejects 10,000 random byte strings")
    func randomBytes() {
        var random = SeededRandom(seed: 2)
        for _ in 0..<10_000 {
            let bytes = random.hostileBytes(upTo: 24, specialCharacters: "<>/!?-[]&;#x=\"' aDOCTYPE")
            _ = try? XMLDocument(parsing: bytes)
        }
    }
}
