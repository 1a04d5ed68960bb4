import ArgumentParser

struct BackendsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backends",
        abstract: "Test backends, show their status in a running server, and flush their caches.",
        discussion: """
            `status` and `flush` connect to the running server at server.admin_listen of the configuration. `test` needs \
            no server.
            """,
        subcommands: [BackendsStatusCommand.self, BackendsFlushCommand.self, BackendsTestCommand.self])
}
