import ContentGate
import TestSupport
import Testing

@Suite("Range header")
struct RangeHeaderTests {
    @Test(
        "selects a single range of a file of a hundred bytes",
        arguments: [
            ("bytes=0-0", .part(0..<1)), ("bytes=0-", .part(0..<100)), ("bytes=10-19", .part(10..<20)),
            ("BYTES=10-19", .part(10..<20)), ("bytes= 10-19 ", .part(10..<20)), ("bytes=10-19,", .part(10..<20)),
            ("bytes=99-", .part(99..<100)), ("bytes=50-999", .part(50..<100)), ("bytes=-1", .part(99..<100)),
            ("bytes=-100", .part(0..<100)), ("bytes=-101", .part(0..<100)), ("bytes=100-", .unsatisfiable),
            ("bytes=-0", .unsatisfiable), ("bytes=9223372036854775808-", .unsatisfiable),
            ("bytes=5-9223372036854775808", .part(5..<100)), ("bytes=-99999999999999999999", .part(0..<100)),
            ("bytes=0-9223372036854775807", .part(0..<100)),
            ("bytes=5-2", .whole), ("bytes=", .whole), ("bytes", .whole), ("", .whole), ("bytes=a-b", .whole),
            ("bytes=--1", .whole), ("bytes=1", .whole), ("bytes=+1-2", .whole), ("items=0-1", .whole),
            ("bytes=0x1-2", .whole), ("bytes=1-2-3", .whole), ("bytes=1-2,5-6", .whole), ("bytes=1-2;5", .whole),
        ] as [(String, RangeSelection)])
    func selections(value: String, selection: RangeSelection) {
        #expect(RangeHeader([value]).selection(of: 100) == selection)
    }

    @Test("is unsatisfiable for an empty file")
    func emptyFile() {
        #expect(RangeHeader(["bytes=0-"]).selection(of: 0) == .unsatisfiable)
        #expect(RangeHeader(["bytes=-5"]).selection(of: 0) == .unsatisfiable)
    }

    @Test("Pitfall 17: with a thousand overlapping ranges costs no more than the file")
    func manyRanges() {
        let list = "bytes=" + (0..<1_000).map { "\($0)-" }.joined(separator: ",")
        #expect(RangeHeader([list]) == .none)
        #expect(RangeHeader(["bytes=1-5,2-6,3-7"]).selection(of: 100) == .whole)
    }

    @Test("10,000 random headers select nothing outside the file")
    func hostileHeaders() async {
        var random = SeededRandom(seed: 17)
        for round in 0..<10_000 {
            // Yields to other tests of this process.
            if round.isMultiple(of: 100) { await Task.yield() }
            let bytes = Array("bytes=".utf8) + random.hostileBytes(upTo: 8, specialCharacters: "0123456789-, ")
            let size = Int64.random(in: 0...300, using: &random)
            if case .part(let part) = RangeHeader([String(decoding: bytes, as: UTF8.self)]).selection(of: size) {
                #expect(!part.isEmpty && part.lowerBound >= 0 && part.upperBound <= size)
            }
        }
    }
}
