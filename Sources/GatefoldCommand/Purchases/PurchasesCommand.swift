import ArgumentParser

struct PurchasesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "purchases", abstract: "Show receipts and purchases, and erase those of one owner.",
        subcommands: [PurchasesStatusCommand.self, PurchasesShowCommand.self, PurchasesEraseCommand.self])
}
