import ArgumentParser

/// Measures what the tests only count.
@main
struct GatefoldBench: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "gatefold-bench", abstract: "Gatefold's benchmarks.",
        subcommands: [HerdCommand.self, MicroCommand.self])
}
