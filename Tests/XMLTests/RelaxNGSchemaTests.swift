import Testing
import XML

@Suite("RELAX NG")
struct RelaxNGSchemaTests {
    private let schema = """
        <element name="a" xmlns="http://relaxng.org/ns/structure/1.0">
          <attribute name="b"/>
          <zeroOrMore><element name="c"><text/></element></zeroOrMore>
        </element>
        """

    @Test("A valid document has no errors, and an invalid one says which")
    func validation() throws {
        let schema = try RelaxNGSchema(schema)
        #expect(try schema.errors(in: Array("<a b='1'><c>x</c><c/></a>".utf8)) == [])
        #expect(try !schema.errors(in: Array("<a/>".utf8)).isEmpty)
        #expect(try schema.errors(in: Array("<a b='1'><d/></a>".utf8)).joined().contains("d"))
        #expect(throws: XMLError.self) { try schema.errors(in: Array("<a".utf8)) }
    }

    @Test(
        "What is no schema is refused",
        arguments: ["", "<a/>", "<element xmlns='http://relaxng.org/ns/structure/1.0'/>"])
    func notASchema(text: String) {
        #expect(throws: XMLError.self) { try RelaxNGSchema(text) }
    }

    @Test("One schema serves many tasks at once")
    func concurrency() async throws {
        let schema = try RelaxNGSchema(schema)
        try await withThrowingTaskGroup(of: Int.self) { group in
            for number in 0..<64 {
                let text = number.isMultiple(of: 2) ? "<a b='1'/>" : "<a/>"
                group.addTask { try schema.errors(in: Array(text.utf8)).isEmpty ? 1 : 0 }
            }
            let valid = try await group.reduce(0, +)
            #expect(valid == 32)
        }
    }
}
