import ArgumentParser

struct BackendsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backends", abstract: "Show the status of a running server's backends, and flush their caches.",
        discussion: "Both commands connect to the running server at server.admin_listen of the configuration.",
        subcommands: [BackendsStatusCommand.self, BackendsFlushCommand.self])
}
