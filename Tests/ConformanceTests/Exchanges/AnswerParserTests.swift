import TestSupport
import Testing

@testable import Conformance

@Suite("Reading an answer off the wire")
struct AnswerParserTests {
    private func outcome(
        _ text: String, isHead: Bool = false, hasEnded: Bool = true, longest: Int = 1000
    ) -> AnswerParser.Outcome {
        var parser = AnswerParser(isAnswerToHead: isHead, longestBody: longest)
        parser.append(text.utf8)
        return parser.outcome(hasEnded: hasEnded)
    }

    private struct NoAnswer: Error {}

    private func answer(_ text: String, isHead: Bool = false, longest: Int = 1000) throws -> RawAnswer {
        guard case .complete(let answer) = outcome(text, isHead: isHead, longest: longest) else { throw NoAnswer() }
        return answer
    }

    @Test("Fields are kept in order and as often as they came, and the body to the byte")
    func fields() throws {
        let answer = try answer("HTTP/1.1 200 OK\r\nA: 1\r\nb:2 \r\nA:  3\r\nContent-Length: 3\r\n\r\nxyz")
        #expect(answer.status == 200 && answer.reason == "OK")
        #expect(answer.fields.map(\.name) == ["A", "b", "A", "Content-Length"])
        #expect(answer["a"] == "1, 3" && answer["B"] == "2")
        #expect(answer.body == Array("xyz".utf8))
        #expect(answer.flaws == [] && answer.strayBytes == 0)
    }

    @Test("Chunks are put together, and trailers passed over")
    func chunks() throws {
        let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
        #expect(try answer(head + "2;x=y\r\nab\r\n1\r\nc\r\n0\r\n\r\n").body == Array("abc".utf8))
        #expect(try answer(head + "1\r\na\r\n0\r\nTrailer: 1\r\n\r\n").body == Array("a".utf8))
        for size in ["zz", "+1", "-0", "-1", ""] {
            #expect(try answer(head + "\(size)\r\na\r\n0\r\n\r\n").flaws == [.badChunks], "\(size)")
        }
        #expect(try answer(head + "1\r\nab\r\n").flaws == [.badChunks])
        #expect(try answer(head + "9\r\nab").flaws == [.cutShort])
        #expect(outcome(head + "9\r\nab", hasEnded: false) == .needsMore)
        #expect(try answer(head + "ffff\r\nab").isCut)
    }

    @Test("No more than so many header fields are kept")
    func manyFields() throws {
        let fields = (0..<600).map { "F\($0): 1\r\n" }.joined()
        let answer = try answer("HTTP/1.1 200 OK\r\n\(fields)\r\n")
        #expect(answer.fields.count == 500 && answer.flaws == [.manyFields])
        let long = String(repeating: "N", count: 257)
        for name in [long, "N\u{E4}me", "a b", "\u{7F}"] {
            let answer = try self.answer("HTTP/1.1 200 OK\r\n\(name): 1\r\nA: 2\r\n\r\n")
            #expect(answer.fields == [Field("A", "2")] && answer.flaws == [.badField], "\(name)")
        }
    }

    @Test("What stands around a body has its limits, too")
    func limits() throws {
        let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
        let long = String(repeating: "x", count: 300_000)
        func found(_ text: String) -> [RawAnswer.Flaw]? {
            guard case .complete(let answer) = outcome(text, hasEnded: false) else { return nil }
            return answer.flaws
        }
        #expect(found(head + "1;" + long) == [.badChunks])
        #expect(found(head + "1;" + long + "\r\na\r\n0\r\n\r\n") == [.badChunks])
        #expect(found(head + "0\r\nTrailer: " + long) == [.badChunks])
        let chunk = "1;" + String(repeating: "x", count: 4000) + "\r\na\r\n"
        #expect(found(head + String(repeating: chunk, count: 200)) == [.badChunks])
        let early = String(repeating: "HTTP/1.1 103 Early Hints\r\n\r\n", count: 20_000)
        #expect(outcome(early, hasEnded: false) == .notHTTP)
    }

    @Test("What is wrong with the frame is told")
    func flaws() throws {
        #expect(try answer("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nx").flaws == [.cutShort])
        #expect(try answer("HTTP/1.1 200 OK\r\nContent-Length: many\r\n\r\nx").flaws == [.badLength])
        #expect(try answer("HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\nx").flaws == [.badLength])
        for second in ["1", "2"] {
            let lengths = try answer("HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: \(second)\r\n\r\nx")
            #expect(lengths.flaws == [.severalLengths])
        }
        #expect(try answer("HTTP/1.1 200 OK\r\nContent-Length: +1\r\n\r\nx").flaws == [.badLength])
        #expect(try answer("HTTP/1.1 200 OK\r\nContent-Length:\r\n\r\nx").flaws == [.badLength])
        let signed = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n+1\r\na\r\n0\r\n\r\n"
        #expect(try answer(signed).flaws == [.badChunks])
        for field in ["Content-Length : 1", " Content-Length: 1"] {
            let spaced = try answer("HTTP/1.1 200 OK\r\nA: 1\r\n\(field)\r\n\r\nx")
            #expect(spaced.flaws == [.badField] && spaced["Content-Length"] == "1")
        }
        let both = "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
        #expect(try answer(both).flaws == [.lengthAndCoding])
        #expect(try answer("HTTP/1.1 200 OK\r\nno colon\r\nContent-Length: 0\r\n\r\n").flaws == [.badField])
        #expect(try answer("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nxyz").strayBytes == 2)
    }

    @Test("The answer to HEAD ends with its head, 1xx come before it, and the close of the connection ends a body")
    func ends() throws {
        let head = try answer("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nxyz", isHead: true)
        #expect(head.body == [] && head.strayBytes == 3)
        #expect(try answer("HTTP/1.1 103 Early\r\n\r\nHTTP/1.1 204 Nothing\r\n\r\n").status == 204)
        #expect(outcome("HTTP/1.0 200 OK\n\nabc", hasEnded: false) == .needsMore)
        #expect(try answer("HTTP/1.0 200 OK\n\nabc").body == Array("abc".utf8))
    }

    @Test("A long body is cut where the reading ends")
    func long() throws {
        let answer = try answer("HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\nabcdef", longest: 4)
        #expect(answer.body == Array("abcd".utf8) && answer.isCut && answer.flaws == [] && answer.strayBytes == 0)
    }

    @Test(
        "What is no HTTP is refused",
        arguments: ["", "SSH-2.0-x\r\n", "HTTP/2 200\r\n\r\n", "HTTP/1.1 20\r\n\r\n", "HTTP/1.1 abc\r\n\r\n"])
    func notHTTP(text: String) {
        #expect(outcome(text) == .notHTTP)
    }

    @Test("Any bytes, in any pieces, have an outcome")
    func anything() {
        var random = SeededRandom(seed: 6)
        let spice = "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n;:-9f"
        let samples = [
            "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\nA: b\r\n\r\n",
            "HTTP/1.1 100 C\r\n\r\nHTTP/1.0 403 No\n\nx",
        ].map { Array($0.utf8) }
        var tooLong = 0
        for round in 0..<8_000 {
            var bytes = samples[round % samples.count]
            if round.isMultiple(of: 4) {
                bytes += random.hostileBytes(upTo: 40, spice: spice)
            } else {
                for _ in 0..<Int.random(in: 1...3, using: &random) {
                    let place = Int.random(in: 9..<bytes.count, using: &random)
                    bytes[place] = random.hostileBytes(upTo: 1, spice: spice).first ?? 0x0A
                }
            }
            var parser = AnswerParser(isAnswerToHead: round.isMultiple(of: 5), longestBody: 16)
            parser.append(bytes)
            if case .complete(let answer) = parser.outcome(hasEnded: true) {
                if answer.body.count > 16 { tooLong += 1 }
            }
        }
        #expect(tooLong == 0)
    }
}
