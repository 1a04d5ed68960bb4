import Accounts
import ArgumentParser
import Foundation
import Gatefold

struct AccountCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "account", abstract: "Show readers' accounts, and erase a reader.",
        subcommands: [AccountListCommand.self, AccountShowCommand.self, AccountEraseCommand.self])
}

/// An account as the commands show it.
struct AccountReport: Encodable {
    let number: Int64
    let uuid: String
    /// The reader's name in `gatefold purchases`.
    let owner: String
    let identifier: String
    let fullName: String?
    let dateOfBirth: String?
    let referrer: String?
    let metadata: [String: String]
    let created: Date
    let updated: Date

    init(_ account: Account) {
        number = account.number
        uuid = account.uuid
        owner = account.owner.description
        identifier = account.details.identifier
        fullName = account.details.fullName
        dateOfBirth = account.details.dateOfBirth
        referrer = account.details.referrer
        metadata = account.details.metadata
        created = account.created
        updated = account.updated
    }

    var text: String {
        var lines = [
            "identifier  \(identifier)", "number      \(number)", "uuid        \(uuid)", "owner       \(owner)",
        ]
        if let fullName { lines.append("name        \(fullName)") }
        if let dateOfBirth { lines.append("born        \(dateOfBirth)") }
        if let referrer { lines.append("referrer    \(referrer)") }
        for (name, value) in metadata.sorted(by: { $0.key < $1.key }) { lines.append("field       \(name) = \(value)") }
        lines.append("created     \(created.formatted(.iso8601))")
        lines.append("updated     \(updated.formatted(.iso8601))")
        return lines.joined(separator: "\n")
    }
}
