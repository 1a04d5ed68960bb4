import EdgeTokens
import Gatefold
import Testing

@Suite("Static edge header")
struct StaticEdgeHeaderTests {
    @Test("Returns the same header for every grant")
    func same() throws {
        let token = try StaticEdgeHeader(name: "X-Edge-Key", value: "a word & another")
        #expect(
            token.headers(for: AkamaiEdgeTokenTests.grant)
                == [EdgeHeader(name: "X-Edge-Key", value: "a word & another")])
    }

    @Test("Rejects values with line breaks", arguments: ["a\r\nX: y", "a\nb", "\u{0}", "é", " a", "a ", "", "a\u{7F}"])
    func values(_ value: String) {
        #expect(throws: EdgeTokenError.self) { try StaticEdgeHeader(name: "X-Edge", value: value) }
    }

    @Test("Rejects invalid header names", arguments: ["", "X Edge", "X:Edge", "X\r\nEdge", "É", "X(Edge)"])
    func names(_ name: String) {
        #expect(throws: EdgeTokenError.name(name)) { try StaticEdgeHeader(name: name, value: "a") }
    }
}
