import ArgumentParser
import Foundation
import Logging
import Metrics
import Server

struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Serve the apps and gate the downloads.",
        discussion: """
            Reloads the configuration on SIGHUP. An invalid configuration is reported, and the previous one stays in \
            use. Stops on SIGINT and SIGTERM after the requests in flight.
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
        // A SIGHUP during the first read of the configuration must not end the program.
        signal(SIGHUP, SIG_IGN)
        let read = try read()
        OpenFileLimit.raise()
        let handler = LogSetup.handler(read.log, isTerminal: isatty(STDERR_FILENO) == 1)
        LoggingSystem.bootstrap(handler)
        let registry = PrometheusRegistry()
        MetricsSystem.bootstrap(registry)
        let server = try await GatefoldServer(
            read, reread: { try self.read() }, metrics: registry, logger: Logger(label: "gatefold"))
        try await server.run()
    }

    /// Reads the configuration and replaces values by those of the command line.
    private func read() throws -> GatefoldConfiguration {
        var read = try configuration.read()
        if let host { read.listen.host = host }
        if let port { read.listen.port = port }
        return read
    }
}
