import Testing

@testable import Console

@Suite("Escaping of values on pages") struct HTMLTextTests {
    @Test(
        "Signs of HTML are escaped, also before a combining mark, which makes them one character with it",
        arguments: [
            ("<script>", "&lt;script&gt;"), ("a & b", "a &amp; b"), (#"" onfocus="x"#, "&quot; onfocus=&quot;x"),
            ("'", "&#39;"), ("\"\u{301} onfocus=x", "&quot;\u{301} onfocus=x"), ("<\u{338}b", "&lt;\u{338}b"),
            ("{{name}}", "{{name}}"),
        ])
    func signs(text: String, escaped: String) {
        #expect(HTMLText.escape(text).unicodeScalars.elementsEqual(escaped.unicodeScalars))
    }

    @Test("Characters that cannot be seen or change the direction of text appear as their numbers")
    func invisible() {
        #expect(HTMLText.escape("ada\u{202E}moc\u{0}\u{200B}\u{2028}") == "ada[U+202E]moc[U+0][U+200B][U+2028]")
        #expect(HTMLText.escape("two\nlines") == "two[U+A]lines")
    }

    @Test("No template shows a value without its escaping")
    func templates() {
        for (name, bytes) in ConsoleTemplates.sources {
            let text = String(decoding: bytes, as: UTF8.self)
            for raw in ["{{{", "{{&", "CONTENT_TYPE", "{{="] { #expect(!text.contains(raw), "\(name): \(raw)") }
            #expect(text.firstMatch(of: /<script|javascript:|style=|\son[a-z]+=/) == nil, "\(name)")
        }
    }
}
