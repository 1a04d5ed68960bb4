import ArgumentParser

struct AuditCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "audit", abstract: "List, verify and export the audit log.",
        discussion: """
            The log in the state has an entry for each command that changes something or reveals a person. It contains \
            pseudonyms, no identifiers. These commands write no entry.
            """,
        subcommands: [AuditListCommand.self, AuditVerifyCommand.self, AuditExportCommand.self])
}
