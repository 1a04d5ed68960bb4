import Testing
import XML

@Suite("RELAX NG schema")
struct RelaxNGSchemaTests {
    private let schema = """
        <element name="a" xmlns="http://relaxng.org/ns/structure/1.0">
          <attribute name="b"/>
          <zeroOrMore><element name="c"><text/></element></zeroOrMore>
        </element>
        """

    @Test("Accepts a valid document and names the error of an invalid one")
    func validation() throws {
        let schema = try RelaxNGSchema(schema)
        #expect(try schema.errors(in: Array("<a b='1'><c>x</c><c/></a>".utf8)) == [])
        #expect(try !schema.errors(in: Array("<a/>".utf8)).isEmpty)
        #expect(try schema.errors(in: Array("<a b='1'><d/></a>".utf8)).joined().contains("d"))
        #expect(throws: XMLError.self) { try schema.errors(in: Array("<a".utf8)) }
    }

    @Test(
        "Rejects an invalid schema",
        arguments: ["", "<a/>", "<element xmlns='http://relaxng.org/ns/structure/1.0'/>"])
    func notASchema(text: String) {
        #expect(throws: XMLError.self) { try RelaxNGSchema(text) }
    }

    @Test("Serves concurrent tasks")
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
