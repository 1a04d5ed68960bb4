import ArgumentParser
import Server

struct BackendsStatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Print the response of /readyz. Exits with 1 unless it is `ready`.")

    @OptionGroup var configuration: ConfigurationOptions

    func run() async throws {
        let response = try await AdminClient(try configuration.read()).get("/readyz")
        guard response.status == 200 || response.status == 503 else {
            throw CommandFailure(.unavailable, "the server responded with status \(response.status)")
        }
        print(response.text, terminator: "")
        if !response.text.hasPrefix("ready\n") { throw ExitCode(CommandFailure.Status.negativeResult.rawValue) }
    }
}
