import ArgumentParser
import Foundation
import Server

/// The program: one subcommand a file.
@main
struct GatefoldCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "gatefold",
        abstract: "An authorisation proxy and content gate for digital editions.",
        discussion: """
            Every subcommand that needs the configuration reads it from --config, else from the environment variable \
            GATEFOLD_CONFIG, else from gatefold.yaml in the present folder.
            Exit statuses are those of sysexits(3): 64 for a wrong call, 65 for bad input data, 66 for a missing input \
            file, 69 for something that can not be reached, 73 for a file that can not be made, 74 for one that could not \
            be read or written to the end, 75 for what was stopped and goes on when it is started again, 78 for a bad \
            configuration; 1 is a no to the question asked; 2, of check, that there was nothing to check.
            """,
        version: ServerSoftware.version,
        subcommands: [
            ServeCommand.self, ConfigCommand.self, BackendsCommand.self, SubscribersCommand.self,
            AccountCommand.self, FeedCommand.self,
            CatalogueCommand.self, PushCommand.self, CredentialsCommand.self, TokenCommand.self, PurchasesCommand.self,
            DeliveriesCommand.self, MailCommand.self, StateCommand.self, SecretCommand.self, DrillCommand.self,
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
