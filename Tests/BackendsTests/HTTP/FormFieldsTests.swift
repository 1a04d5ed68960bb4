import Testing

@testable import Backends

@Suite("Form responses")
struct FormFieldsTests {
    @Test("Fields of a form are decoded as browsers encode them")
    func form() {
        let fields = FormFields("a=1&b=x+y%26%C3%A9&a=2&c&=e&bad=%zz%4&a=")
        #expect(fields.values("a") == ["1", "2", ""])
        #expect(fields.values("b") == ["x y&é"])
        #expect(fields.values("c") == [""])
        #expect(fields.values("bad") == ["%zz%4"])
        #expect(fields.values("z") == [])
    }
}
