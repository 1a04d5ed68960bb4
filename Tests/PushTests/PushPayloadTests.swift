import Gatefold
import Testing

@testable import Push

@Suite("A notification's payload") struct PushPayloadTests {
    private func text(_ payload: PushPayload) -> String { String(decoding: payload.bytes, as: UTF8.self) }

    @Test("has both historic forms: with the edition's name, and without (PROTOCOLS 2.5)")
    func forms() throws {
        let edition = try #require(EditionID("com.example.daily.2026-11"))
        #expect(
            text(PushPayload(contentName: edition))
                == #"{"aps":{"content-available":1},"content-name":"com.example.daily.2026-11"}"#)
        #expect(text(PushPayload()) == #"{"aps":{"content-available":1}}"#)
        #expect(PushPayload().kind == .background)
    }

    @Test("may be an operator's own, which is shown where it has something to show")
    func own() throws {
        let shown = try PushPayload(
            json: Array(#" { "aps": {"alert": "New!", "content-available": 1}, "x": [] } "#.utf8))
        #expect(shown.kind == .alert)
        #expect(text(shown) == #"{"aps":{"alert":"New!","content-available":1},"x":[]}"#)
        #expect(
            try PushPayload(json: Array(#"{"aps":{"content-available":1},"content-name":"7"}"#.utf8)).kind
                == .background)
    }

    @Test("is refused where APNs would refuse it")
    func refused() {
        func error(_ text: String) -> PushPayloadError? {
            do {
                _ = try PushPayload(json: Array(text.utf8))
                return nil
            } catch { return error }
        }
        #expect(error("{") == .malformed)
        #expect(error(#"{"aps":{},"aps":{}}"#) == .malformed)
        #expect(error("[]") == .noDictionary)
        #expect(error(#"{"aps":{}}"#) == .noDictionary)
        #expect(error(#"{"aps":1}"#) == .noDictionary)
        let room = PushPayload.largest - #"{"aps":{"alert":""}}"#.utf8.count
        #expect(error(#"{"aps":{"alert":"\#(String(repeating: "x", count: room))"}}"#) == nil)
        #expect(error(#"{"aps":{"alert":"\#(String(repeating: "x", count: room + 1))"}}"#) == .tooLarge(4_097))
    }
}
