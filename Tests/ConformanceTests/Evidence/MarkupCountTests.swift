import TestSupport
import Testing
import XML

@testable import Conformance

@Suite("Markup count")
struct MarkupCountTests {
    private func count(_ text: String) -> [Int] {
        let count = MarkupCount(Array(text.utf8))
        return [count.elements, count.attributes, count.maxAttributes, count.comments]
    }

    @Test("includes elements and attributes, and excludes text that only looks like markup")
    func counts() {
        #expect(count("") == [0, 0, 0, 0])
        #expect(count("no markup") == [0, 0, 0, 0])
        #expect(count("<?xml version='1.0'?>\n<a b='1' c = \"2\"><d e='f>g=h'/></a>") == [2, 3, 2, 1])
        #expect(count("<a><!-- <b c='d'/> --><![CDATA[<e f='g'>]]></a>") == [1, 0, 0, 2])
        // Unterminated constructs.
        for text in ["<a b='", "<!-- <a>", "<![CDATA[ <a>", "<? <a>", "</a <b"] {
            #expect(count(text).reduce(0, +) <= 4, "\(text)")
        }
    }

    @Test("is exact for well-formed documents")
    func exact() async throws {
        var generator = SeededRandom(seed: 7)
        for _ in 0..<100 {
            await Task.yield()
            let text = Self.element(depth: 3, &generator)
            let root = try XMLDocument(parsing: Array(text.utf8)).root
            let expected = Self.total(root)
            #expect(
                Array(count(text)[..<3]) == [expected.elements, expected.attributes, expected.maxAttributes], "\(text)")
        }
    }

    private static func element(depth: Int, _ generator: inout SeededRandom) -> String {
        let attributes = (0..<Int.random(in: 0...3, using: &generator)).map { number in
            [" a\(number)='=>'", " a\(number) = \"'/>='\"", "\n\ta\(number)=''"].randomElement(using: &generator) ?? ""
        }
        guard depth > 0 else { return "<e\(attributes.joined())/>" }
        let inside = (0..<Int.random(in: 0...3, using: &generator)).map { _ in
            let asides = ["=", "<!-- <x y='z'> -->", "<![CDATA[<x y='z'>]]>", "<?x y='<z>'?>", "&lt;x&gt;"]
            return (asides.randomElement(using: &generator) ?? "") + element(depth: depth - 1, &generator)
        }
        return "<e\(attributes.joined())>\(inside.joined())</e>"
    }

    private static func total(_ element: XMLElement) -> (elements: Int, attributes: Int, maxAttributes: Int) {
        element.children.map(total).reduce((1, element.attributes.count, element.attributes.count)) { sum, one in
            (sum.0 + one.elements, sum.1 + one.attributes, max(sum.2, one.maxAttributes))
        }
    }
}
