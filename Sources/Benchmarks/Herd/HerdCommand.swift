import ArgumentParser

struct HerdCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "herd",
        abstract: "Simulate a push notification that wakes every app at once, with a slow subscriber system.",
        discussion: """
            Every reader requests the subscription repeatedly through the real authorization service and the real \
            protection of the backend. The subscriber system is simulated: it delays every query and fails when it \
            gets too many queries at once. Exits with 1 if it failed.
            """)

    @Option(help: "The number of readers; the result of every second one is cached.")
    var readers = 20_000

    @Option(help: "The number of requests, spread evenly over the time.")
    var requests = 200_000

    @Option(help: "The seconds over which the requests arrive.")
    var seconds = 10.0

    @Option(help: "The milliseconds that the subscriber system takes for a query.")
    var latency = 50

    @Option(help: "The concurrent queries above which the subscriber system fails.")
    var failureThreshold = 20

    func run() async throws {
        let report = try await Herd(
            readers: readers, requests: requests, duration: .seconds(seconds), latency: .milliseconds(latency),
            failureThreshold: failureThreshold
        ).run()
        print(report.text)
        if report.peakConcurrency > failureThreshold || report.failureCount > 0 { throw ExitCode(1) }
    }
}
