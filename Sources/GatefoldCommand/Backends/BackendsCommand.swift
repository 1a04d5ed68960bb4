import ArgumentParser

struct BackendsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backends", abstract: "See how a running server's backends are doing, and make it ask them anew.",
        discussion: "Both ask the running server at the configuration's server.admin_listen.",
        subcommands: [BackendsStatusCommand.self, BackendsFlushCommand.self])
}
