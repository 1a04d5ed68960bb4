import Foundation
import Testing

@testable import Benchmarks

@Suite("Micro-benchmarks")
struct MicroTests {
    @Test("Every benchmark call does its work and is measured")
    func pieces() async throws {
        try await BenchmarkPublication.withFolder { folder in
            let pieces = try await MicrobenchmarkFixture.all(folder)
            #expect(Set(pieces.map(\.name)).count == pieces.count)
            for piece in pieces {
                let measured = try piece.measure(rounds: 2, duration: .milliseconds(1))
                #expect(measured.min > 0 && measured.min <= measured.median && measured.median <= measured.max)
                #expect(measured.calls > 0)
            }
        }
    }

    @Test("A wrong call fails, and results are written as a table and as JSON")
    func failing() throws {
        let broken = Microbenchmark(name: "broken") { false }
        #expect(throws: Microbenchmark.Failed.self) { try broken.measure(rounds: 1, duration: .microseconds(1)) }
        let measured = [
            Microbenchmark.Measured(name: "a", median: 12.4, min: 11.5, max: 100, calls: 3, allocations: 7)
        ]
        #expect(
            MicroCommand.table(measured) == " " + "   ns median" + "         min" + "         max" + "  allocations\n"
                + "a" + "          12" + "          12" + "         100" + "            7")
        let read = try JSONDecoder().decode(
            [Microbenchmark.Measured].self, from: Data(try MicroCommand.json(measured).utf8))
        #expect(read.count == 1 && read[0].median == 12.4)
    }
}
