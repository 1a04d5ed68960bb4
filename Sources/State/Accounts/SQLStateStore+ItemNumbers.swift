import Foundation
public import Gatefold

extension SQLStateStore {
    private static let items = "item_number"

    public func itemNumbers(of names: [String], in publication: PublicationID) async throws -> [String: Int64] {
        let wanted = Set(try names.map { try StateText.storable($0, Self.items) })
        // The read takes no write lock. A number is assigned only once.
        let known = try await database.read { db in try Self.numbers(db, of: wanted, in: publication) }
        let missing = wanted.subtracting(known.keys)
        guard !missing.isEmpty else { return known }
        let assigned = try await database.write(.statements) { db in
            // Sorted, so that names that arrive together get numbers in a predictable order.
            for name in missing.sorted() {
                try db.execute(
                    "INSERT INTO item_number (publication, name) VALUES (?, ?) ON CONFLICT (publication, name) DO NOTHING",
                    [publication.rawValue, name])
            }
            return try Self.numbers(db, of: missing, in: publication)
        }
        return known.merging(assigned) { first, _ in first }
    }

    public func itemName(numbered number: Int64, in publication: PublicationID) async throws -> String? {
        try await database.read { db in
            try db.row(
                "SELECT name FROM item_number WHERE number = ? AND publication = ?", [number, publication.rawValue]
            ).map { try StateRow.text($0, 0, Self.items) }
        }
    }

    private static func numbers(
        _ db: any StateTransaction, of names: Set<String>, in publication: PublicationID
    ) throws -> [String: Int64] {
        try names.reduce(into: [:]) { all, name in
            all[name] = try db.row(
                "SELECT number FROM item_number WHERE publication = ? AND name = ?", [publication.rawValue, name]
            ).map {
                try StateRow.integer($0, 0, items)
            }
        }
    }
}
