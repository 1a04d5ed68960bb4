import ArgumentParser
import Foundation
import Logging
import Metrics
import Server

struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Answer the apps and gate the downloads.",
        discussion: """
            Reads the configuration again on SIGHUP: an invalid one is reported and the old one goes on. Stops on SIGINT \
            and SIGTERM after the requests in flight.
            """)

    @OptionGroup var configuration: ConfigurationOptions

    @Option(help: "Listen on this host instead of the configured one.")
    var host: String?

    @Option(help: "Listen on this port instead of the configured one.")
    var port: Int?

    func validate() throws {
        if let port, !(0...65_535).contains(port) { throw ValidationError("expected --port from 0 to 65535") }
    }

    func run() async throws {
        let read = try read()
        OpenFileLimit.raise()
        let handler = LogSetup.handler(read.log, isTerminal: isatty(STDERR_FILENO) == 1)
        LoggingSystem.bootstrap(handler)
        let registry = PrometheusRegistry()
        MetricsSystem.bootstrap(registry)
        let server = try await GatefoldServer(
            read, reread: { [self] in try self.read() }, metrics: registry, logger: Logger(label: "gatefold"))
        try await server.run()
    }

    private func read() throws -> GatefoldConfiguration {
        var read = try configuration.read()
        if let host { read.listen.host = host }
        if let port { read.listen.port = port }
        return read
    }
}
