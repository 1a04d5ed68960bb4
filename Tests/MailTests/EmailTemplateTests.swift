import Foundation
import Gatefold
import Settings
import TestSupport
import Testing

@testable import Mail

@Suite("E-mail template")
struct EmailTemplateTests {
    private func template(
        _ yaml: String, _ standard: EmailTemplate.Standard? = nil, in folder: String = "/etc/gatefold"
    ) throws -> EmailTemplate {
        try EmailTemplate(
            try YAMLSettings.read(text: yaml, name: "\(folder)/gatefold.yaml", folder: folder),
            variables: ["name", "link"],
            standard: standard)
    }

    private let values = ["name": "Ada <b>&\"'", "link": "https://daily.example/?a=b&c=d"]

    @Test("Fills its placeholders and escapes values in HTML only")
    func filled() throws {
        let template = try template(
            """
            subject: "For {{name}}"
            text: "{{#name}}Dear {{name}}, {{/name}}see {{{link}}} {{! no word of this }}"
            html: "<p>{{name}} {{{name}}} {{&link}} <a href='{{link}}'>x</a></p>"
            """)
        let emailMessage = template.emailMessage(to: "ada@example.com", values)
        #expect(emailMessage.to == "ada@example.com")
        #expect(emailMessage.subject == "For Ada <b>&\"'")
        #expect(emailMessage.text == "Dear Ada <b>&\"', see https://daily.example/?a=b&c=d ")
        let name = "Ada &lt;b&gt;&amp;&quot;&#39;"
        let link = "https://daily.example/?a=b&amp;c=d"
        #expect(emailMessage.html == "<p>\(name) \(name) \(link) <a href='\(link)'>x</a></p>")
    }

    @Test("Escapes a character before a combining mark")
    func combining() throws {
        let template = try template("{subject: s, text: t, html: '{{name}}'}")
        let html = try #require(template.emailMessage(to: "a@b.c", ["name": "<\u{301}script>"]).html)
        #expect(!html.unicodeScalars.contains("<"))
    }

    @Test("Omits sections of missing or empty values")
    func missing() throws {
        let template = try template("{subject: s, text: '{{#name}}Dear {{name}}{{/name}}{{^name}}Hello{{/name}}'}")
        #expect(template.emailMessage(to: "a@b.c", [:]).text == "Hello")
        #expect(template.emailMessage(to: "a@b.c", ["name": ""]).text == "Hello")
        #expect(template.emailMessage(to: "a@b.c", ["name": "Ada"]).text == "Dear Ada")
        #expect(template.emailMessage(to: "a@b.c", [:]).html == nil)
    }

    @Test("Does not evaluate templates in values")
    func notATemplate() throws {
        let template = try template("{subject: '{{name}}', text: '{{name}}'}")
        #expect(template.emailMessage(to: "a@b.c", ["name": "{{link}}", "link": "x"]).text == "{{link}}")
    }

    @Test("Reads texts from files and falls back to the standard template")
    func files() async throws {
        try await withTemporaryFolder { folder in
            try Data("Dear {{name}}\n\nbye\n".utf8).write(to: folder.appendingPathComponent("letter.txt"))
            let standard = EmailTemplate.Standard(subject: "Standard", text: "text {{link}}", html: "<i>{{link}}</i>")
            let own = try template("{text: {file: letter.txt}}", standard, in: folder.path)
            let emailMessage = own.emailMessage(to: "a@b.c", ["name": "Ada"])
            #expect(emailMessage.subject == "Standard")
            #expect(emailMessage.text == "Dear Ada\n\nbye\n")
            #expect(emailMessage.html == nil)
            #expect(try template("{}", standard).emailMessage(to: "a@b.c", ["link": "&"]).html == "<i>&amp;</i>")
        }
    }

    @Test("Errors name the file and the line")
    func errors() async throws {
        try await withTemporaryFolder { folder in
            try Data("Dear\n\n{{nmae}}\n".utf8).write(to: folder.appendingPathComponent("typo.txt"))
            try Data("Dear\n{{#name}}\n\n".utf8).write(to: folder.appendingPathComponent("open.txt"))
            for (yaml, message) in [
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
                ("{subject: s, text: '{{name'}", "expected }} after {{"),
            ] {
                let error = try #require(throws: SettingsError.self, "\(yaml)") { try template(yaml, in: folder.path) }
                #expect("\(error)".contains(message), "\(error)")
            }
        }
    }

    @Test("Parses and renders any text without a trap")
    func fuzz() {
        var random = SeededRandom(seed: 7)
        for _ in 0..<8_000 {
            let bytes = random.hostileBytes(upTo: 40, specialCharacters: "{{{{}}}}##//^&!name \n")
            let text = String(decoding: bytes, as: UTF8.self)
            guard let template = try? MustacheText(text, .html, variableNames: ["name"]) else { continue }
            _ = template.render(["name": "<"])
        }
    }
}
