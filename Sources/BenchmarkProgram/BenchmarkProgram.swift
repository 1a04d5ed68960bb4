import ArgumentParser
import Benchmarks

/// The program `gatefold-bench`. It is a target of its own, so that tests can import the benchmarks.
@main
enum BenchmarkProgram {
    static func main() async { await GatefoldBenchmark.main() }
}
