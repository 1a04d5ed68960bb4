import HTTPTypes
import Hummingbird
import NIOCore
import NIOHPACK
import NIOHTTP2
import Testing

@testable import Server

@Suite("Response on an HTTP/2 stream")
struct HTTP2OutgoingResponseTests {
    /// A frame as text, with a bar if it ends the stream.
    private func text(_ payload: HTTP2Frame.FramePayload) -> String {
        switch payload {
        case .headers(let headers):
            return (headers.headers.first(name: ":status") ?? "trailers") + (headers.endStream ? "|" : "")
        case .data(let data):
            guard case .byteBuffer(let bytes) = data.data else { return "?" }
            return String(buffer: bytes) + (data.endStream ? "|" : "")
        default: return "?"
        }
    }

    private func frames(
        _ response: Response, _ parts: [String], trailers: HTTPFields? = nil, canEndWithHead: Bool = true
    ) -> [String] {
        var frames: [String] = []
        var outgoing = HTTP2OutgoingResponse()
        outgoing.begin(response) { frames.append(text($0)) }
        for part in parts { outgoing.write(ByteBuffer(string: part)) { frames.append(text($0)) } }
        #expect(!outgoing.hasEnded)
        for _ in 0..<2 { outgoing.finish(trailers, canEndWithHead: canEndWithHead) { frames.append(text($0)) } }
        #expect(outgoing.hasEnded)
        return frames
    }

    private let known = Response(status: .ok, body: ResponseBody(byteBuffer: ByteBuffer(string: "abcd")))
    private let streamed = Response(status: .ok, body: ResponseBody { _ in })

    @Test("The last part of a body with a length ends the stream")
    func length() {
        #expect(frames(known, ["abcd"]) == ["200", "abcd|"])
        #expect(frames(known, ["ab", "cd"]) == ["200", "ab", "cd|"])
    }

    @Test("A part of a body without a length is not held")
    func streaming() { #expect(frames(streamed, ["a", "b"]) == ["200", "a", "b", "|"]) }

    @Test("A response without a body is one frame, or two while the client receives nothing")
    func empty() {
        #expect(frames(Response(status: .noContent), []) == ["204|"])
        #expect(frames(Response(status: .noContent), [], canEndWithHead: false) == ["204", "|"])
    }

    @Test("Trailers end the stream")
    func trailers() {
        let fields: HTTPFields = [.contentType: "a"]
        #expect(frames(known, ["abcd"], trailers: fields) == ["200", "abcd", "trailers|"])
        #expect(frames(Response(status: .ok), [], trailers: fields) == ["200", "trailers|"])
    }

    @Test("A body that differs from its length is sent nevertheless")
    func mismatch() {
        #expect(frames(known, ["abcd", "e"]) == ["200", "abcd", "e", "|"])
        #expect(frames(known, ["a"]) == ["200", "a", "|"])
        #expect(frames(Response(status: .ok), ["a"]) == ["200", "a", "|"])
    }
}
