import JSON
import Testing

@testable import AdminAPI

@Suite("Schemas of the admin API") struct AdminSchemaTests {
    private static let schema = AdminSchema.object([
        AdminProperty("name", .string(AdminText(1...3, .name)), "A name."),
        AdminProperty("count", .integer(1...9), "A count.", isRequired: false),
        AdminProperty("when", .nullable(.timestamp), "A time.", isRequired: false),
        AdminProperty("all", .list(.choice(["a", "b"])), "A list.", isRequired: false),
    ])

    @Test(
        "Accept what they describe",
        arguments: [
            #"{"name": "ab"}"#, #"{"name": "abc", "count": 9, "when": null, "all": []}"#,
            #"{"name": "a", "when": "2026-11-28T08:00:00Z", "all": ["a", "b"]}"#,
        ])
    func accepted(_ text: String) throws {
        #expect(Self.schema.faults(of: try JSONParser.parse(Array(text.utf8))).isEmpty)
    }

    @Test(
        "Name the place of what is wrong, and never its value",
        arguments: [
            (#"[]"#, ""), (#"{}"#, "/name"), (#"{"name": "abcd"}"#, "/name"), (#"{"name": "<b>"}"#, "/name"),
            (#"{"name": 1}"#, "/name"), (#"{"name": null}"#, "/name"), (#"{"name": "a", "planted": 1}"#, ""),
            (#"{"name": "a", "count": 10}"#, "/count"), (#"{"name": "a", "count": 1.5}"#, "/count"),
            (#"{"name": "a", "count": "1"}"#, "/count"), (#"{"name": "a", "when": "2026-11-28"}"#, "/when"),
            (#"{"name": "a", "when": "2026-02-30T08:00:00Z"}"#, "/when"), (#"{"name": "a", "all": ["c"]}"#, "/all/0"),
        ])
    func rejected(_ text: String, location: String) throws {
        let faults = Self.schema.faults(of: try JSONParser.parse(Array(text.utf8)))
        #expect(faults.map(\.location) == [location])
        let problem = String(decoding: JSONWriter.bytes(AdminProblem.invalid(faults).json), as: UTF8.self)
        #expect(!problem.contains("planted") && !problem.contains("<b>"))
        #expect(AdminProblem.schema.faults(of: AdminProblem.invalid(faults).json).isEmpty)
    }

    @Test("A text parameter is converted only if it has the one spelling of its value")
    func parameters() {
        let count = AdminSchema.integer(0...10)
        #expect(count.value(parameter: "7")?.integer == 7)
        for text in ["07", "+7", "7.0", "7e0", "", " 7", "11", "-1"] { #expect(count.value(parameter: text) == nil) }
        #expect(AdminSchema.boolean.value(parameter: "true")?.boolValue == true)
        #expect(AdminSchema.boolean.value(parameter: "TRUE") == nil)
    }
}
