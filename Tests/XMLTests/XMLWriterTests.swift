import TestSupport
import Testing
import XML

@Suite("XML writer")
struct XMLWriterTests {
    private func written(_ write: (inout XMLWriter) -> Void) -> String {
        var xml = XMLWriter()
        write(&xml)
        return String(decoding: xml.bytes, as: UTF8.self)
    }

    private let declaration = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"

    @Test("Writes a declaration and an element without extra white space")
    func document() {
        let text = written { xml in
            xml.element("a", ["b": "1", "c": nil]) { xml in
                xml.element("d")
                xml.element("e") { $0.text("f") }
            }
            xml.comment("g")
        }
        #expect(text == declaration + #"<a b="1"><d/><e>f</e></a><!-- g -->"#)
    }

    @Test("Escapes special characters in text and attributes")
    func escaping() {
        let text = written { $0.element("a", ["b": "<&>\"'\n\t\r"]) { $0.text("<&>\"'\n\t\r]]>") } }
        #expect(
            text == declaration
                + "<a b=\"&lt;&amp;&gt;&quot;'&#10;&#9;&#13;\">&lt;&amp;&gt;\"'\n\t&#13;]]&gt;</a>")
    }

    @Test(
        "Replaces a character that XML does not allow by U+FFFD",
        arguments: ["\0", "\u{1F}", "\u{B}", "\u{FFFE}", "\u{FFFF}"])
    func forbiddenCharacters(character: String) throws {
        let text = written { xml in
            xml.element("a", ["b": "x\(character)y"]) { $0.text("x\(character)y") }
            xml.comment("x\(character)y")
        }
        let root = try XMLDocument(parsing: text.utf8).root
        #expect(root.text == "x\u{FFFD}y")
        #expect(root.attributes["b"] == "x\u{FFFD}y")
    }

    @Test(
        "Keeps the neighbours of forbidden characters",
        arguments: ["\u{FFFD}", "\u{FFFC}", "\u{FFBF}", "\u{10FFFF}", "\u{E000}", "\u{D7FF}", "\u{7F}", "\u{85}"])
    func allowedCharacters(character: String) throws {
        let text = written { $0.element("a") { $0.text(character) } }
        #expect(try XMLDocument(parsing: text.utf8).root.text == character)
    }

    @Test(
        "A comment cannot end early",
        arguments: ["-", "--", "---", "-->", "--><a state=\"active\"/>", "->", ">", "a-", "--!>", "-\u{0}-"])
    func comments(comment: String) throws {
        let text = written { xml in
            xml.comment(comment)
            xml.element("a") { $0.comment(comment) }
            xml.comment(comment)
        }
        let root = try XMLDocument(parsing: text.utf8).root
        #expect(root.name == "a")
        #expect(root.children.isEmpty)
        #expect(root.comments.count == 1)
        #expect(root.comments.allSatisfy { !$0.contains("--") })
    }

    @Test("Any text survives a round trip, except for characters that XML does not allow")
    func roundTrip() throws {
        var random = SeededRandom(seed: 1)
        for _ in 0..<8_000 {
            let value = String(
                decoding: random.hostileBytes(upTo: 24, specialCharacters: "<>&\"'-]\r\n\t \u{FFFE}"), as: UTF8.self)
            let carried = String(
                String.UnicodeScalarView(
                    value.unicodeScalars.map { scalar in
                        switch scalar.value {
                        case 0x09, 0x0A, 0x0D, 0x20...0xFFFD, 0x10000...: scalar
                        default: "\u{FFFD}"
                        }
                    }))
            var xml = XMLWriter()
            xml.comment(value)
            xml.element("a", ["b": value]) { xml in
                xml.text(value)
                xml.comment(value)
            }
            xml.comment(value)
            let root = try XMLDocument(parsing: xml.bytes).root
            #expect(root.text.unicodeScalars.elementsEqual(carried.unicodeScalars))
            #expect(root.attributes["b"].map { $0.unicodeScalars.elementsEqual(carried.unicodeScalars) } == true)
            #expect(root.children.isEmpty)
        }
    }
}
