import Foundation
import Gatefold
import Settings
import TestSupport
import Testing

@testable import Mail

@Suite("A letter's template")
struct LetterTemplateTests {
    private func template(
        _ yaml: String, _ standard: LetterTemplate.Standard? = nil, in folder: String = "/etc/gatefold"
    ) throws -> LetterTemplate {
        try LetterTemplate(
            try YAMLSettings.read(text: yaml, name: "\(folder)/gatefold.yaml", folder: folder),
            variables: ["name", "link"],
            standard: standard)
    }

    private let values = ["name": "Ada <b>&\"'", "link": "https://daily.example/?a=b&c=d"]

    @Test("has its places filled, escaped in HTML and nowhere else")
    func filled() throws {
        let template = try template(
            """
            subject: "For {{name}}"
            text: "{{#name}}Dear {{name}}, {{/name}}see {{{link}}} {{! no word of this }}"
            html: "<p>{{name}} {{{name}}} {{&link}} <a href='{{link}}'>x</a></p>"
            """)
        let letter = template.letter(to: "ada@example.com", values)
        #expect(letter.to == "ada@example.com")
        #expect(letter.subject == "For Ada <b>&\"'")
        #expect(letter.text == "Dear Ada <b>&\"', see https://daily.example/?a=b&c=d ")
        let name = "Ada &lt;b&gt;&amp;&quot;&#39;"
        let link = "https://daily.example/?a=b&amp;c=d"
        #expect(letter.html == "<p>\(name) \(name) \(link) <a href='\(link)'>x</a></p>")
    }

    @Test("escapes a sign that a combining mark stands behind")
    func combining() throws {
        let template = try template("{subject: s, text: t, html: '{{name}}'}")
        let html = try #require(template.letter(to: "a@b.c", ["name": "<\u{301}script>"]).html)
        #expect(!html.unicodeScalars.contains("<"))
    }

    @Test("leaves out what goes with a value that is missing or empty")
    func missing() throws {
        let template = try template("{subject: s, text: '{{#name}}Dear {{name}}{{/name}}{{^name}}Hello{{/name}}'}")
        #expect(template.letter(to: "a@b.c", [:]).text == "Hello")
        #expect(template.letter(to: "a@b.c", ["name": ""]).text == "Hello")
        #expect(template.letter(to: "a@b.c", ["name": "Ada"]).text == "Dear Ada")
        #expect(template.letter(to: "a@b.c", [:]).html == nil)
    }

    @Test("takes values for what they are, not for templates")
    func notATemplate() throws {
        let template = try template("{subject: '{{name}}', text: '{{name}}'}")
        #expect(template.letter(to: "a@b.c", ["name": "{{link}}", "link": "x"]).text == "{{link}}")
    }

    @Test("comes from files, and from what is sent where nothing is said")
    func files() async throws {
        try await withTemporaryFolder { folder in
            try Data("Dear {{name}}\n\nbye\n".utf8).write(to: folder.appendingPathComponent("letter.txt"))
            let standard = LetterTemplate.Standard(subject: "Standard", text: "text {{link}}", html: "<i>{{link}}</i>")
            let own = try template("{text: {file: letter.txt}}", standard, in: folder.path)
            let letter = own.letter(to: "a@b.c", ["name": "Ada"])
            #expect(letter.subject == "Standard")
            #expect(letter.text == "Dear Ada\n\nbye\n")
            #expect(letter.html == nil)
            #expect(try template("{}", standard).letter(to: "a@b.c", ["link": "&"]).html == "<i>&amp;</i>")
        }
    }

    @Test("that can not be used names its file and line")
    func errors() async throws {
        try await withTemporaryFolder { folder in
            try Data("Dear\n\n{{nmae}}\n".utf8).write(to: folder.appendingPathComponent("typo.txt"))
            try Data("Dear\n{{#name}}\n\n".utf8).write(to: folder.appendingPathComponent("open.txt"))
            for (yaml, words) in [
                (
                    "{subject: s, text: {file: typo.txt}}",
                    "typo.txt:3: text: expected one of {{link}}, {{name}}, not {{nmae}}"
                ),
                ("{subject: s, text: {file: open.txt}}", "open.txt:4: text: expected {{/name}} for every"),
                ("{subject: s, text: {file: none.txt}}", "expected a file of UTF-8"),
                ("{text: t}", "subject: missing"), ("{subject: s}", "text: missing"),
                (
                    "subject: s\ntext: |\n  a\n  {{#name}}\n  {{/link}}",
                    "gatefold.yaml:2: text: expected {{/name}} with"
                ),
                ("{subject: s, text: '{{> other}}'}", "expected no {{>"),
                ("{subject: s, text: '{{=<% %>=}}'}", "expected no {{="),
                ("{subject: s, text: '{{% CONTENT_TYPE:TEXT}}'}", "expected no {{%"),
                ("{subject: s, text: '{{uppercased(name)}}'}", "not {{uppercased(name)}}"),
                ("{subject: s, text: '{{name'}", "expected }} behind {{"),
            ] {
                let error = try #require(throws: SettingsError.self, "\(yaml)") { try template(yaml, in: folder.path) }
                #expect("\(error)".contains(words), "\(error)")
            }
        }
    }

    @Test("is read to the end whatever it holds")
    func fuzz() {
        var random = SeededRandom(seed: 7)
        for _ in 0..<8_000 {
            let bytes = random.hostileBytes(upTo: 40, spice: "{{{{}}}}##//^&!name \n")
            let text = String(decoding: bytes, as: UTF8.self)
            guard let template = try? MustacheText(text, .html, knowing: ["name"]) else { continue }
            _ = template.render(["name": "<"])
        }
    }
}
