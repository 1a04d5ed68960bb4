import Foundation
import Testing

@testable import Benchmarks

@Suite("Micro-benchmarks")
struct MicroTests {
    @Test("measure what they say: every call does its work")
    func pieces() async throws {
        try await House.withFolder { folder in
            let pieces = try await MicroPieces.all(folder)
            #expect(Set(pieces.map(\.name)).count == pieces.count)
            for piece in pieces {
                let measured = try piece.measure(rounds: 2, duration: .milliseconds(1))
                #expect(measured.least > 0 && measured.least <= measured.median && measured.median <= measured.most)
                #expect(measured.calls > 0)
            }
        }
    }

    @Test("fail when a call does something else, and are written as table and JSON")
    func failing() throws {
        let broken = Microbenchmark(name: "broken") { false }
        #expect(throws: Microbenchmark.Failed.self) { try broken.measure(rounds: 1, duration: .microseconds(1)) }
        let measured = [
            Microbenchmark.Measured(name: "a", median: 12.4, least: 11.5, most: 100, calls: 3)
        ]
        #expect(
            MicroCommand.table(measured) == " " + "   ns median" + "       least" + "        most\n"
                + "a" + "          12" + "          12" + "         100")
        let read = try JSONDecoder().decode(
            [Microbenchmark.Measured].self, from: Data(try MicroCommand.json(measured).utf8))
        #expect(read.count == 1 && read[0].median == 12.4)
    }
}
