import TestSupport
import Testing

@testable import Conformance

@Suite("HTTP response parser")
struct ResponseParserTests {
    private func outcome(
        _ text: String, isHead: Bool = false, hasEnded: Bool = true, maxLength: Int = 1000
    ) -> ResponseParser.Outcome {
        var parser = ResponseParser(isResponseToHead: isHead, maxBodySize: maxLength)
        parser.append(text.utf8)
        return parser.outcome(hasEnded: hasEnded)
    }

    private struct NoResponse: Error {}

    private func response(_ text: String, isHead: Bool = false, maxLength: Int = 1000) throws -> ReceivedResponse {
        guard case .complete(let response) = outcome(text, isHead: isHead, maxLength: maxLength) else {
            throw NoResponse()
        }
        return response
    }

    @Test("Fields keep their order and repetitions, and the body stays unchanged")
    func fields() throws {
        let response = try response("HTTP/1.1 200 OK\r\nA: 1\r\nb:2 \r\nA:  3\r\nContent-Length: 3\r\n\r\nxyz")
        #expect(response.status == 200 && response.reason == "OK")
        #expect(response.fields.map(\.name) == ["A", "b", "A", "Content-Length"])
        #expect(response["a"] == "1, 3" && response["B"] == "2")
        #expect(response.body == Array("xyz".utf8))
        #expect(response.flaws == [] && response.strayBytes == 0)
    }

    @Test("Chunks are joined and trailers are skipped")
    func chunks() throws {
        let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
        #expect(try response(head + "2;x=y\r\nab\r\n1\r\nc\r\n0\r\n\r\n").body == Array("abc".utf8))
        #expect(try response(head + "1\r\na\r\n0\r\nTrailer: 1\r\n\r\n").body == Array("a".utf8))
        for size in ["zz", "+1", "-0", "-1", ""] {
            #expect(try response(head + "\(size)\r\na\r\n0\r\n\r\n").flaws == [.badChunks], "\(size)")
        }
        #expect(try response(head + "1\r\nab\r\n").flaws == [.badChunks])
        #expect(try response(head + "9\r\nab").flaws == [.truncated])
        #expect(outcome(head + "9\r\nab", hasEnded: false) == .needsMore)
        #expect(try response(head + "ffff\r\nab").isTruncated)
    }

    @Test("The number of header fields is limited")
    func manyFields() throws {
        let fields = (0..<600).map { "F\($0): 1\r\n" }.joined()
        let response = try response("HTTP/1.1 200 OK\r\n\(fields)\r\n")
        #expect(response.fields.count == 500 && response.flaws == [.manyFields])
        let long = String(repeating: "N", count: 257)
        for name in [long, "N\u{E4}me", "a b", "\u{7F}"] {
            let response = try self.response("HTTP/1.1 200 OK\r\n\(name): 1\r\nA: 2\r\n\r\n")
            #expect(response.fields == [Field("A", "2")] && response.flaws == [.badField], "\(name)")
        }
    }

    @Test("Chunk extensions and trailers are limited")
    func limits() throws {
        let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
        let long = String(repeating: "x", count: 300_000)
        func found(_ text: String) -> [ReceivedResponse.Flaw]? {
            guard case .complete(let response) = outcome(text, hasEnded: false) else { return nil }
            return response.flaws
        }
        #expect(found(head + "1;" + long) == [.badChunks])
        #expect(found(head + "1;" + long + "\r\na\r\n0\r\n\r\n") == [.badChunks])
        #expect(found(head + "0\r\nTrailer: " + long) == [.badChunks])
        let chunk = "1;" + String(repeating: "x", count: 4000) + "\r\na\r\n"
        #expect(found(head + String(repeating: chunk, count: 200)) == [.badChunks])
        let early = String(repeating: "HTTP/1.1 103 Early Hints\r\n\r\n", count: 20_000)
        #expect(outcome(early, hasEnded: false) == .notHTTP)
    }

    @Test("Framing errors are reported")
    func flaws() throws {
        #expect(try response("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nx").flaws == [.truncated])
        #expect(try response("HTTP/1.1 200 OK\r\nContent-Length: many\r\n\r\nx").flaws == [.badLength])
        #expect(try response("HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\nx").flaws == [.badLength])
        for second in ["1", "2"] {
            let lengths = try response("HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: \(second)\r\n\r\nx")
            #expect(lengths.flaws == [.severalLengths])
        }
        #expect(try response("HTTP/1.1 200 OK\r\nContent-Length: +1\r\n\r\nx").flaws == [.badLength])
        #expect(try response("HTTP/1.1 200 OK\r\nContent-Length:\r\n\r\nx").flaws == [.badLength])
        let signed = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n+1\r\na\r\n0\r\n\r\n"
        #expect(try response(signed).flaws == [.badChunks])
        for field in ["Content-Length : 1", " Content-Length: 1"] {
            let spaced = try response("HTTP/1.1 200 OK\r\nA: 1\r\n\(field)\r\n\r\nx")
            #expect(spaced.flaws == [.badField] && spaced["Content-Length"] == "1")
        }
        let both = "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
        #expect(try response(both).flaws == [.lengthAndCoding])
        #expect(try response("HTTP/1.1 200 OK\r\nno colon\r\nContent-Length: 0\r\n\r\n").flaws == [.badField])
        #expect(try response("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nxyz").strayBytes == 2)
    }

    @Test("A response to HEAD has no body, 1xx responses are skipped, and a closed connection ends a body")
    func ends() throws {
        let head = try response("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nxyz", isHead: true)
        #expect(head.body == [] && head.strayBytes == 3)
        #expect(try response("HTTP/1.1 103 Early\r\n\r\nHTTP/1.1 204 Nothing\r\n\r\n").status == 204)
        #expect(outcome("HTTP/1.0 200 OK\n\nabc", hasEnded: false) == .needsMore)
        #expect(try response("HTTP/1.0 200 OK\n\nabc").body == Array("abc".utf8))
    }

    @Test("A long body is truncated at the limit")
    func long() throws {
        let response = try response("HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\nabcdef", maxLength: 4)
        #expect(
            response.body == Array("abcd".utf8) && response.isTruncated && response.flaws == []
                && response.strayBytes == 0)
    }

    @Test(
        "A text that is not HTTP is rejected",
        arguments: ["", "SSH-2.0-x\r\n", "HTTP/2 200\r\n\r\n", "HTTP/1.1 20\r\n\r\n", "HTTP/1.1 abc\r\n\r\n"])
    func notHTTP(text: String) {
        #expect(outcome(text) == .notHTTP)
    }

    @Test("Any bytes, split anywhere, yield an outcome")
    func anything() {
        var random = SeededRandom(seed: 6)
        let specialCharacters =
            "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n;:-9f"
        let samples = [
            "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\nA: b\r\n\r\n",
            "HTTP/1.1 100 C\r\n\r\nHTTP/1.0 403 No\n\nx",
        ].map { Array($0.utf8) }
        var tooLong = 0
        for round in 0..<8_000 {
            var bytes = samples[round % samples.count]
            if round.isMultiple(of: 4) {
                bytes += random.hostileBytes(upTo: 40, specialCharacters: specialCharacters)
            } else {
                for _ in 0..<Int.random(in: 1...3, using: &random) {
                    let place = Int.random(in: 9..<bytes.count, using: &random)
                    bytes[place] = random.hostileBytes(upTo: 1, specialCharacters: specialCharacters).first ?? 0x0A
                }
            }
            var parser = ResponseParser(isResponseToHead: round.isMultiple(of: 5), maxBodySize: 16)
            parser.append(bytes)
            if case .complete(let response) = parser.outcome(hasEnded: true) {
                if response.body.count > 16 { tooLong += 1 }
            }
        }
        #expect(tooLong == 0)
    }
}
