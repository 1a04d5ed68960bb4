import Gatefold
import Primitives
import Testing

@Suite("Placeholder template")
struct PlaceholderTemplateTests {
    @Test("Replaces each placeholder from left to right")
    func rendering() throws {
        let template = try PlaceholderTemplate("a={a}&{{b}}={b}&a={a}")
        #expect(template.names == ["a", "b"])
        var order: [String] = []
        let text = template.render { name in
            order.append(name)
            return "\(order.count)"
        }
        #expect(text == "a=1&{b}=2&a=3" && order == ["a", "b", "a"])
    }

    @Test("An error has the position of the brace")
    func positions() {
        for (text, position) in [("{", 0), ("ab}", 2), ("é{a b}", 1), ("{a}{", 3), ("{{{}", 2)] {
            let error = #expect(throws: TemplateError.self) { try PlaceholderTemplate(text) }
            #expect(error?.position == position, "\(text)")
        }
    }
}
