import ArgumentParser
import Foundation
import Server

/// The program. Each subcommand has its own file.
@main
struct GatefoldCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "gatefold",
        abstract: "An authorisation proxy and content gate for digital editions.",
        discussion: """
            Every subcommand that needs the configuration reads it from --config, otherwise from the environment \
            variable GATEFOLD_CONFIG, otherwise from gatefold.yaml in the current folder.
            Exit statuses are those of sysexits(3): 64 for wrong usage, 65 for bad input data, 66 for a missing input \
            file, 69 for an unavailable service, 73 for a file that cannot be created, 74 for an input/output error, \
            75 for a stopped operation that the same command resumes, 78 for a bad configuration. 1 is a negative \
            result. `check` exits with 2 if nothing could be checked.
            """,
        version: ServerSoftware.version,
        subcommands: [
            ServeCommand.self, ConfigCommand.self, ExplainCommand.self, BackendsCommand.self, SubscribersCommand.self,
            AccountCommand.self, TimelineCommand.self, FeedCommand.self,
            CatalogueCommand.self, PushCommand.self, CredentialsCommand.self, TokenCommand.self, PurchasesCommand.self,
            DeliveriesCommand.self, MailCommand.self, StateCommand.self, NodesCommand.self, AuditCommand.self,
            AdminCommand.self,
            SecretCommand.self,
            DrillCommand.self,
            CheckCommand.self,
        ])

    static func main() async {
        do {
            var command = try parseAsRoot()
            if var asynchronous = command as? any AsyncParsableCommand {
                try await asynchronous.run()
            } else {
                try command.run()
            }
        } catch {
            guard let failure = CommandFailure(error) else { exit(withError: error) }
            FileHandle.standardError.write(Data("gatefold: \(failure.message)\n".utf8))
            Foundation.exit(failure.status.rawValue)
        }
    }
}
