import Accounts
import Foundation
import Gatefold
import JSON

/// Rows of the table `account`.
enum AccountRow {
    static let table = "account"
    static let columns = """
        number, publication, owner, uuid, identifier, full_name, date_of_birth, referrer, metadata, created, updated
        """

    static func find(_ db: any StateTransaction, _ owner: PurchaseOwner, in publication: PublicationID) throws
        -> Account?
    {
        try db.row(
            "SELECT \(columns) FROM account WHERE publication = ? AND owner = ?",
            [publication.rawValue, Data(owner.bytes)]
        ).map(account)
    }

    static func insert(
        _ db: any StateTransaction, _ owner: PurchaseOwner, in publication: PublicationID, uuid: String,
        details: AccountDetails,
        at timestamp: Date
    ) throws {
        let seconds = timestamp.timeIntervalSince1970
        try db.execute(
            """
            INSERT INTO account (
                publication, owner, uuid, created, updated, identifier, normalized, full_name, date_of_birth, referrer,
                metadata)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                publication.rawValue, Data(owner.bytes), try StateText.storable(uuid, table), seconds, seconds,
            ] + values(of: details))
    }

    /// Updates the details of an account.
    ///
    /// - Returns: False when the account does not exist.
    static func update(
        _ db: any StateTransaction, _ owner: PurchaseOwner, in publication: PublicationID, details: AccountDetails,
        at timestamp: Date
    ) throws -> Bool {
        return try db.execute(
            """
            UPDATE account SET identifier = ?, normalized = ?, full_name = ?, date_of_birth = ?, referrer = ?,
                metadata = ?, updated = ?
            WHERE publication = ? AND owner = ?
            """,
            try values(of: details) + [
                timestamp.timeIntervalSince1970, publication.rawValue, Data(owner.bytes),
            ]) > 0
    }

    private static func values(of details: AccountDetails) throws -> StateArguments {
        let metadata = try details.metadata.sorted { $0.key < $1.key }.map { name, value in
            JSONValue.Member(
                name: try StateText.storable(name, table), value: .string(try StateText.storable(value, table)))
        }
        return [
            try StateText.storable(details.identifier, table),
            try StateText.storable(CredentialFields.fold(details.identifier), table),
            try StateText.storable(ifAny: details.fullName, table),
            try StateText.storable(ifAny: details.dateOfBirth, table),
            try StateText.storable(ifAny: details.referrer, table),
            String(decoding: JSONWriter.bytes(.object(metadata)), as: UTF8.self),
        ]
    }

    static func account(_ row: StateRow) throws -> Account {
        guard let owner = try OwnerColumn.read(row, 2, table) else {
            throw StateStoreError.unreadableRow(table: table)
        }
        return Account(
            publication: try StateRow.name(row, 1, table) { PublicationID($0) }, owner: owner,
            number: try StateRow.integer(row, 0, table), uuid: try StateRow.text(row, 3, table),
            details: AccountDetails(
                identifier: try StateRow.text(row, 4, table),
                fullName: try StateRow.optional(StateRow.text, row, 5, table),
                dateOfBirth: try StateRow.optional(StateRow.text, row, 6, table),
                referrer: try StateRow.optional(StateRow.text, row, 7, table), metadata: try metadata(row)),
            created: try StateRow.date(row, 9, table), updated: try StateRow.date(row, 10, table))
    }

    private static func metadata(_ row: StateRow) throws -> [String: String] {
        let text = try StateRow.text(row, 8, table)
        guard case .object(let members)? = try? JSONParser.parse(Array(text.utf8)) else {
            throw StateStoreError.unreadableRow(table: table)
        }
        return try members.reduce(into: [:]) { all, member in
            guard case .string(let value) = member.value else { throw StateStoreError.unreadableRow(table: table) }
            all[member.name] = value
        }
    }
}
