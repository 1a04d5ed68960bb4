import ArgumentParser
import Foundation

struct MicroCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "micro",
        abstract: "Measure single parts of the work on a request, in nanoseconds per call.",
        discussion: """
            Each part is called repeatedly on one core. The median of the rounds is shown, and the number of memory \
            allocations of one call.
            """)

    @Option(help: "The number of rounds of each part.")
    var rounds = 7

    @Option(help: "The approximate milliseconds of a round.")
    var milliseconds = 100

    @Option(help: "Measure only parts whose name contains this text.")
    var only = ""

    @Flag(help: "Print JSON instead of a table.")
    var json = false

    func run() async throws {
        try await BenchmarkPublication.withFolder { folder in
            let microbenchmarks = try await MicrobenchmarkFixture.all(folder).filter {
                only.isEmpty || $0.name.contains(only)
            }
            let measured = try microbenchmarks.map {
                try $0.measure(rounds: rounds, duration: .milliseconds(milliseconds))
            }
            print(json ? try Self.json(measured) : Self.table(measured))
        }
    }

    static func json(_ measured: [Microbenchmark.Measured]) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        return String(decoding: try encoder.encode(measured), as: UTF8.self)
    }

    static func table(_ measured: [Microbenchmark.Measured]) -> String {
        let width = measured.map(\.name.count).max() ?? 0
        let lines = measured.map { microbenchmark in
            microbenchmark.name.padding(toLength: width, withPad: " ", startingAt: 0)
                + [microbenchmark.median, microbenchmark.min, microbenchmark.max].map {
                    right(String(Int($0.rounded())), 12)
                }.joined() + right(microbenchmark.allocations.map(String.init) ?? "-", 13)
        }
        let head =
            String(repeating: " ", count: width) + ["ns median", "min", "max"].map { right($0, 12) }.joined()
            + right("allocations", 13)
        return ([head] + lines).joined(separator: "\n")
    }

    private static func right(_ text: String, _ width: Int) -> String {
        String(repeating: " ", count: max(0, width - text.count)) + text
    }
}
