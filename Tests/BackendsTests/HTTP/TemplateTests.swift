import Foundation
import Gatefold
import OutgoingRequests
import Primitives
import TestSupport
import Testing
import XML

@testable import Backends

@Suite("Templates of service calls")
struct TemplateTests {
    @Test("Braces mark values, and doubled braces are literal")
    func syntax() throws {
        let template = try PlaceholderTemplate("a{x}{{b}}{y-1}")
        #expect(template.parts == [.literal("a"), .placeholder("x"), .literal("{b}"), .placeholder("y-1")])
        #expect(try template.render(TemplateValues(["x": "{y-1}", "y-1": "z"]), in: .plain) == "a{y-1}{b}z")
        #expect(throws: UnsendableValue(name: "x")) { try template.render(TemplateValues(["y-1": ""]), in: .plain) }
        for text in ["{", "}", "{}", "{a", "a}", "{a b}", "{é}", "{{a}", "{a}}"] {
            #expect(throws: TemplateError.self, "\(text)") { try PlaceholderTemplate(text) }
        }
    }

    @Test("10,000 random values in every place are read back unchanged or rejected")
    func positions() async throws {
        var random = SeededRandom(seed: 11)
        for round in 0..<10_000 {
            if round.isMultiple(of: 100) { await Task.yield() }
            let value = String(
                decoding: random.hostileBytes(upTo: 16, specialCharacters: "&<>\"'%+=;/?#:@ \r\n\t\u{0}{}[]\\.,"),
                as: UTF8.self)
            let form = try TemplateContext.form.write(value)
            #expect(form.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && !"&=#".utf8.contains($0) })
            #expect(FormFields("v=\(form)").values("v") == [value])
            #expect(try TemplateContext.query.write(value).removingPercentEncoding == value)
            if let path = try? TemplateContext.path.write(value) {
                #expect(path.removingPercentEncoding == value && !path.contains("/"))
            } else {
                #expect(value.isEmpty)
            }
            if let header = try? TemplateContext.header.write(value) {
                #expect(header == value && !value.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x7F })
            }
        }
        for _ in 0..<10_000 {
            let value = String(
                decoding: random.hostileBytes(upTo: 16, specialCharacters: "&<>\"']]> \r\n\t-!"), as: UTF8.self)
            guard let xml = try? TemplateContext.xml.write(value) else { continue }
            let root = try XMLDocument(parsing: Array("<a b=\"\(xml)\" c='\(xml)'>\(xml)</a>".utf8)).root
            #expect(root.text == value && root.attributes == ["b": value, "c": value] && root.children.isEmpty)
        }
    }

    @Test("XML templates allow values in text and attributes only")
    func xml() throws {
        for text in ["<a>{v}</a>", "<a b='{v}'/>", "<a b=\"x{v}y\">{v}<c>{v}</c></a>", "<a/>"] {
            _ = try XMLTemplate(text)
        }
        for text in [
            "<a><!-- {v} --></a>", "<a><![CDATA[{v}]]></a>", "<{v}/>", "<a {v}='1'/>", "<a b={v}/>", "<?p {v}?><a/>",
            "<a>{v}", "", "<!DOCTYPE a><a>{v}</a>", "<a>&{v};</a>",
        ] {
            #expect(throws: TemplateError.self, "\(text)") { try XMLTemplate(text) }
        }
        for value in ["\u{0}", "\u{1F}", "\u{FFFE}", "\u{FFFF}"] {
            #expect(throws: UnsendableValue.self) { try TemplateContext.xml.write(value) }
        }
    }

    @Test("A value changes the path segment or query of a URL, never the host or the path structure")
    func url() throws {
        let base = try #require(ServiceURL("https://h.example:8443/a/?x=1"))
        let url = try URLTemplate(
            "/r/{id}/s?q={q}&lit=%20", base: base, parameters: [("y z", try PlaceholderTemplate("a b{q}"))])
        let values = TemplateValues(["id": "a..//b.@evil?#", "q": "&x=2"])
        #expect(
            try url.url(values).text
                == "https://h.example:8443/a/r/a..%2F%2Fb.%40evil%3F%23/s?x=1&q=%26x%3D2&lit=%20&y%20z=a%20b%26x%3D2")
        for id in ["", ".", "..", "../x", "x/../y", "x/..", "x\\..", "./x", "/..\\"] {
            #expect(throws: UnsendableValue.self) { try url.url(TemplateValues(["id": id, "q": ""])) }
        }
        #expect(
            try URLTemplate("", base: base, parameters: [("x", try PlaceholderTemplate("2"))]).url(.init()).text
                == "https://h.example:8443/a/?x=1")
        for text in [
            "https://{h}/", "{scheme}://h/", "https://h{x}/", "https://h/?{n}=1", "ftp://h/", "https://u:p@h/",
            "https://h/#f",
            "https://h/a b", "https:///x", "/x", "https://h:0/", "https://h:/", "https://h/é", "//h/x", "https://h/{",
        ] {
            #expect(throws: TemplateError.self, "\(text)") { try URLTemplate(text, base: nil) }
        }
    }

    @Test("10,000 random values in a path never lead elsewhere after repeated unescaping")
    func paths() async throws {
        let url = try URLTemplate("https://h.example/a/{x}/b-{y}/c", base: nil)
        var random = SeededRandom(seed: 16)
        for round in 0..<10_000 {
            if round.isMultiple(of: 100) { await Task.yield() }
            let values = ["x", "y"].map { name in
                (name, String(decoding: random.hostileBytes(upTo: 8, specialCharacters: "...//\\\\x"), as: UTF8.self))
            }
            let made = try? url.url(TemplateValues(Dictionary(values) { $1 })).text
            guard let path = made?.dropFirst("https://h.example/a/".count) else { continue }
            let read = path.removingPercentEncoding ?? ""
            #expect(
                read.split(whereSeparator: { "/\\".contains($0) }).allSatisfy { ![".", ".."].contains($0) }, "\(path)")
            #expect(path.split(separator: "/", omittingEmptySubsequences: false).count == 3)
        }
    }

    @Test("Pitfall 13: a value inside a header value does not end its part")
    func headerParts() throws {
        for value in ["a; b=c", "a, b", "a\"b", "a\\", "a\nb"] {
            #expect(throws: UnsendableValue.self, "\(value)") { try TemplateContext.headerPart.write(value) }
        }
        for value in ["", "a b", "ä@b:c", "a=b"] { #expect(try TemplateContext.headerPart.write(value) == value) }
    }

    @Test("A redirect is followed on the same scheme, host and port only")
    func redirects() throws {
        let url = try #require(ServiceURL("https://h.example/a/b?c"))
        #expect(url.redirected(to: "/x?y")?.text == "https://h.example/x?y")
        #expect(url.redirected(to: "z#f")?.text == "https://h.example/a/z")
        #expect(url.redirected(to: "https://H.example:443/x")?.origin == url.origin)
        for other in [
            "http://h.example/", "https://h.example:444/", "//evil.example/", "https://h.example@evil/", "/\\evil\r\n",
            "javascript:1",
        ] {
            #expect(url.redirected(to: other).map { $0.origin == url.origin } ?? true, "\(other)")
        }
        #expect(url.redirected(to: "http://h.example/") == nil)
        #expect(url.target == "/a/b?c")
        #expect(ServiceURL("http://h?x")?.target == "/?x")
    }
}
