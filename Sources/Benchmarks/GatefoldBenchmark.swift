package import ArgumentParser

/// The benchmark program. It measures the costs that the tests only count.
package struct GatefoldBenchmark: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "gatefold-bench", abstract: "Gatefold's benchmarks.",
        subcommands: [HerdCommand.self, MicroCommand.self])

    package init() {}
}
