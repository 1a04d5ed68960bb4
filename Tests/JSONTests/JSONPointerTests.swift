import Testing

@testable import JSON

@Suite("JSON Pointer")
struct JSONPointerTests {
    private func parse(_ text: String) throws(JSONError) -> JSONValue { try JSONParser.parse(Array(text.utf8)) }

    @Test(
        "Finds the values of RFC 6901 section 5",
        arguments: [
            ("/foo", #"["bar","baz"]"#), ("/foo/0", #""bar""#), ("/", "0"), ("/a~1b", "1"), ("/c%d", "2"),
            ("/e^f", "3"),
            ("/g|h", "4"), ("/i\\j", "5"), ("/k\"l", "6"), ("/ ", "7"), ("/m~0n", "8"),
        ])
    func pointer(text: String, expected: String) throws {
        let json = try parse(
            #"{"foo":["bar","baz"],"":0,"a/b":1,"c%d":2,"e^f":3,"g|h":4,"i\\j":5,"k\"l":6," ":7,"m~n":8}"#)
        #expect(JSONPointer(text)?.value(in: json) == (try parse(expected)))
        #expect(JSONPointer("")?.value(in: json) == json)
        for nothing in ["/foo/2", "/foo/-", "/foo/01", "/foo/+0", "/foo/-1", "/bar", "/foo/0/x"] {
            #expect(JSONPointer(nothing)?.value(in: json) == nil, "\(nothing)")
        }
        #expect(JSONPointer("foo") == nil)
        #expect(JSONPointer("/a~2") == nil)
    }
}
