import ArgumentParser

struct AdminCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "admin", abstract: "Create and revoke tokens of the admin API, and sign in to the console.",
        subcommands: [AdminTokenCommand.self, AdminLoginLinkCommand.self])
}

struct AdminTokenCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "token", abstract: "Create, list and revoke tokens of the admin API.",
        discussion: "A running server applies changes at once.",
        subcommands: [AdminTokenNewCommand.self, AdminTokenListCommand.self, AdminTokenRevokeCommand.self])
}
