import ArgumentParser

struct HerdCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "herd",
        abstract: "A push notification wakes every app at once, before a subscriber system that bears little.",
        discussion: """
            Every reader asks for the subscription, again and again, through the proxy and the protection of the backend, \
            which both are the real ones. The subscriber system is made up: it takes its time over every question and \
            breaks when it is asked too many at once. Exits with 1 when it broke.
            """)

    @Option(help: "Distinct readers; every second one was there lately, so that the answer is remembered.")
    var readers = 20_000

    @Option(help: "Requests, spread evenly over the time.")
    var requests = 200_000

    @Option(help: "Over so many seconds the requests arrive.")
    var seconds = 10.0

    @Option(help: "So many milliseconds the subscriber system takes over a question.")
    var latency = 50

    @Option(help: "The subscriber system breaks when it is asked more than so many questions at once.")
    var breaksAbove = 20

    func run() async throws {
        let report = try await Herd(
            readers: readers, requests: requests, duration: .seconds(seconds), latency: .milliseconds(latency),
            breaksAbove: breaksAbove
        ).run()
        print(report.text)
        if report.mostAtOnce > breaksAbove || report.broke > 0 { throw ExitCode(1) }
    }
}
