import ContentGate
import HTTPTypes
import TestSupport
import Testing

@Suite("Content layout")
struct ContentLayoutTests {
    @Test(
        "requires a plain prefix that begins and ends with a slash",
        arguments: ["", "content/", "/content", "/a//b/", "/a%62/", "/../"])
    func prefixes(prefix: String) {
        #expect(throws: ContentLayoutError.prefix(prefix)) { try ContentLayout(prefix: prefix) }
    }

    @Test("validates patterns, extensions and the root")
    func configuration() throws {
        for pattern in ["", "/covers/**", "a//b", "**/a", "a**", "covers/"] {
            #expect(throws: ContentLayoutError.pattern(pattern)) {
                try ContentLayout(prefix: "/c/", openPatterns: [pattern])
            }
        }
        #expect(throws: ContentLayoutError.archiveExtension(".zip")) {
            try ContentLayout(prefix: "/c/", archiveExtensions: [".zip"])
        }
        #expect(throws: ContentLayoutError.root("content")) { try ContentLayout(prefix: "/c/", root: "content") }
        _ = try ContentLayout(prefix: "/")
    }

    @Test(
        "matches patterns against whole paths, with `*` within a segment and `**` across segments",
        arguments: [
            ("covers/**", "covers/a.jpg", true), ("covers/**", "covers/a/b.jpg", true), ("covers/**", "covers/", false),
            ("covers/**", "covers", false), ("covers/**", "Covers/a.jpg", false), ("covers/**", "coversx/a", false),
            ("*/cover.jpg", "ed-1/cover.jpg", true), ("*/cover.jpg", "ed-1/x/cover.jpg", false),
            ("*/cover.jpg", "ed-1/cover.jpg/", false), ("*/cover.jpg", "ed-1/cover.jpgx", false),
            ("*/cover*.*", "ed-1/cover-large.jpg", true), ("a*b*c", "aXbYbZc", true), ("a*b*c", "aXbYbZ", false),
            ("**", "ed-1/x", true), ("*", "ed-1", true), ("*", "ed-1/x", false),
        ])
    func patterns(pattern: String, path: String, matches: Bool) throws {
        let fixture = try GateFixture()
        let publication = try fixture.daily.publication(open: [pattern], feed: [], free: [], root: nil)
        let gate = try Gate([publication], clock: fixture.clock.wall)
        let decision = gate.evaluate(
            GateRequest(method: .get, target: "/content/daily/\(path)", authorization: [], isResume: false))
        guard case .allowed(let content) = decision else {
            #expect(!matches)
            return
        }
        #expect(matches && content.reason == .open)
    }
}
