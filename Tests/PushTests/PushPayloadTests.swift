import Gatefold
import Testing

@testable import Push

@Suite("Push payload") struct PushPayloadTests {
    private func text(_ payload: PushPayload) -> String { String(decoding: payload.bytes, as: UTF8.self) }

    @Test("Has both historic formats: with and without the edition's name")
    func forms() throws {
        let edition = try #require(EditionID("com.example.daily.2026-11"))
        #expect(
            text(PushPayload(contentName: edition))
                == #"{"aps":{"content-available":1},"content-name":"com.example.daily.2026-11"}"#)
        #expect(text(PushPayload()) == #"{"aps":{"content-available":1}}"#)
        #expect(PushPayload().kind == .background)
    }

    @Test("Accepts a custom payload and derives its push type")
    func own() throws {
        let shown = try PushPayload(
            json: Array(#" { "aps": {"alert": "New!", "content-available": 1}, "x": [] } "#.utf8))
        #expect(shown.kind == .alert)
        #expect(text(shown) == #"{"aps":{"alert":"New!","content-available":1},"x":[]}"#)
        #expect(
            try PushPayload(json: Array(#"{"aps":{"content-available":1},"content-name":"7"}"#.utf8)).kind
                == .background)
    }

    @Test("Rejects a payload that APNs would reject")
    func rejected() {
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
        let room = PushPayload.maxSize - #"{"aps":{"alert":""}}"#.utf8.count
        #expect(error(#"{"aps":{"alert":"\#(String(repeating: "x", count: room))"}}"#) == nil)
        #expect(error(#"{"aps":{"alert":"\#(String(repeating: "x", count: room + 1))"}}"#) == .tooLarge(4_097))
    }
}
