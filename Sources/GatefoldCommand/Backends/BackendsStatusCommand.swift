import ArgumentParser
import Server

struct BackendsStatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Print what /readyz says. Exits with 1 unless it is `ready`.")

    @OptionGroup var configuration: ConfigurationOptions

    func run() async throws {
        let answer = try await AdminClient(try configuration.read()).get("/readyz")
        guard answer.status == 200 || answer.status == 503 else {
            throw CommandFailure(.unavailable, "the server answered with status \(answer.status)")
        }
        print(answer.text, terminator: "")
        if !answer.text.hasPrefix("ready\n") { throw ExitCode(CommandFailure.Status.no.rawValue) }
    }
}
