import Foundation
import Gatefold
import Primitives
import State

extension SubscriberDatabase {
    /// Writes a complete migrated reader, see ``LazyMigrationSlot``.
    ///
    /// Never waits for another writer, so that sign-ins are not delayed. The next sign-in of the reader tries
    /// again.
    ///
    /// - Parameter willChange: Receives the numbers of the former row and of the new one before they are committed. An
    ///   error afterwards may mean that they are.
    func write(
        _ reader: MigratedReader, from origins: [LazyMigrationOrigin], hash: String,
        willChange: @escaping @Sendable (Int64) -> Void
    ) async throws -> LazyMigrationOutcome {
        let timestamp = Milliseconds.of(clock.now)
        return try await store.writeWithoutWaiting { db in
            try ActiveImport.settle(reader.identifier, db)
            let present = try db.row(
                """
                SELECT id, migrated, migrated_backend, migrated_pseudonym FROM subscriber
                WHERE identifier = ?\(db.dialect.forUpdate)
                """, [reader.identifier]
            ).map { row in
                LazyMigrationSlot.ExistingRow(
                    id: try SubscriberRow.integer(row, 0, "subscriber", "id"),
                    isMigrated: try SubscriberRow.optionalInteger(row, 1, "subscriber", "migrated") != nil,
                    origin: try SubscriberRow.origin(row, at: 2))
            }
            let same: Int64?
            switch LazyMigrationSlot(for: origins, present: present) {
            case .ownedByOperator: return .ownedByOperator
            case .others(let backend): return .ownedByOtherBackend(backend: backend)
            case .newRow: same = nil
            case .replacing(let id):
                willChange(id)
                try db.execute("DELETE FROM subscriber WHERE id = ?", [id])
                same = nil
            case .sameRow(let id): same = id
            }
            let rest: StateArguments = [
                reader.state.rawValue, reader.message, reader.hasAllEditions, timestamp, timestamp,
            ]
            let id: Int64
            if let same {
                id = same
                try db.execute(
                    """
                    UPDATE subscriber
                    SET password_version = password_version
                            + CASE WHEN password_chosen IS NULL AND password_hash IS DISTINCT FROM ? THEN 1 ELSE 0 END,
                        password_hash = CASE WHEN password_chosen IS NULL THEN ? ELSE password_hash END,
                        state = ?, message = ?, all_editions = ?, updated = ?, migrated = ?
                    WHERE id = ?
                    """, [hash, hash] + rest + [id])
            } else {
                id = try db.inserted(
                    """
                    INSERT INTO subscriber (password_hash, state, message, all_editions, updated, migrated,
                        identifier, migrated_backend, migrated_pseudonym)
                    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id
                    """,
                    [hash] + rest + [
                        reader.identifier, origins.first?.backend, origins.first?.reference.description,
                    ])
            }
            willChange(id)
            let entries = SubscriberEntries(
                periods: reader.periods, editions: reader.editions, categories: reader.categories)
            if same != nil { try SubscriberEntries.clear(of: id, in: SubscriberEntries.tables, db) }
            try entries.insert(for: id, db)
            return .written
        }
    }
}
