import ArgumentParser

struct PurchasesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "purchases", abstract: "Look into receipts and purchases, and erase somebody's.",
        subcommands: [PurchasesStatusCommand.self, PurchasesShowCommand.self, PurchasesEraseCommand.self])
}
