import Testing

@testable import Server

@Suite("Request ids")
struct RequestIDTests {
    @Test("New ids are distinct, short and free of characters that need quoting")
    func new() {
        let ids = (0..<10_000).map { _ in RequestID().description }
        #expect(Set(ids).count == ids.count)
        #expect(ids.allSatisfy { $0.wholeMatch(of: /[0-9a-v]{13}/) != nil })
    }

    @Test("A proxy's id has 1 to 64 letters, digits, dots, underscores and hyphens")
    func proxy() {
        for id in ["a", "0.A_z-9", String(repeating: "x", count: 64)] {
            #expect(RequestID(proxy: id)?.description == id)
        }
        for id in ["", String(repeating: "x", count: 65), "a b", "a\n", "a\"", "é", "a,b", "a/b", "a\u{0}", "a="] {
            #expect(RequestID(proxy: id) == nil, "\(id)")
        }
    }
}
