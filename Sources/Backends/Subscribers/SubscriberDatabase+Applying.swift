import State

extension SubscriberDatabase {
    /// The maximum number of rows that an import stages in one transaction.
    static let importBatch = 1_000

    /// Reads data about a subscriber. If an active import concerns the subscriber, the row is applied first.
    ///
    /// - Parameter identifier: The folded identifier.
    func read<Value: Sendable>(
        about identifier: String, _ body: @escaping @Sendable (any StateTransaction) throws -> Value
    ) async throws -> Value {
        let value = try await store.read { db -> Value? in
            try ActiveImport.hasPendingRow(identifier, db) ? nil : try body(db)
        }
        if let value { return value }
        return try await readSettled(identifier, body)
    }

    /// Applies the row of an import, and then reads. A read-only database does both in one transaction, which it rolls
    /// back.
    private func readSettled<Value: Sendable>(
        _ identifier: String, _ body: @escaping @Sendable (any StateTransaction) throws -> Value
    ) async throws -> Value {
        guard isReadOnly else {
            try await store.write { db in try ActiveImport.settle(identifier, db) }
            return try await store.read(body)
        }
        do {
            return try await store.write { db -> Value in
                try ActiveImport.settle(identifier, db)
                throw RolledBack(value: try body(db))
            }
        } catch let end as RolledBack<Value> {
            return end.value
        }
    }

    /// The end of a transaction whose result is used and whose changes are not.
    private struct RolledBack<Value: Sendable>: Error {
        let value: Value
    }

    /// Reads data about a subscriber by its number. If an active import concerns the subscriber, the row is applied
    /// first.
    func read<Value: Sendable>(
        aboutID id: Int64, _ body: @escaping @Sendable (any StateTransaction) throws -> Value
    ) async throws -> Value {
        let (value, identifier) = try await store.read { db -> (Value?, String?) in
            guard try ActiveImport.current(db) != nil,
                let identifier = try ActiveImport.identifier(of: id, db),
                try ActiveImport.hasPendingRow(identifier, db)
            else { return (try body(db), nil) }
            return (nil, identifier)
        }
        if let value { return value }
        guard let identifier else { return try await store.read(body) }
        return try await readSettled(identifier, body)
    }

    /// Applies the rows of an active import, one batch at a time.
    ///
    /// - Parameters:
    ///   - lock: The lock of the import that applies them; nil for another reader of all subscribers.
    ///   - step: Called between the batches.
    func applyImport(_ lock: (any ImportLock)? = nil, _ step: () throws -> Void = {}) async throws {
        guard try await store.read({ db in try ActiveImport.current(db) != nil }) else { return }
        var hasMore = true
        while hasMore {
            let clock = ContinuousClock()
            let start = clock.now
            // Several processes may apply the rows at the same time. Each batch sees all of the former ones.
            hasMore = try await store.write(.locked(StateLock("import"))) { db in
                try lock?.check(db)
                return try ActiveImport.current(db)?.advance(store.importedTogether, db) ?? false
            }
            try step()
            // Waiting writers poll for the lock, so it stays free for as long as the batch took, at most 100 ms.
            if hasMore { try await Task.sleep(for: min(clock.now - start, .milliseconds(100))) }
        }
    }

    /// Deletes imports that never became active and cannot be resumed, with their staged rows.
    func discardAbandonedImports(_ lock: any ImportLock) async throws {
        try await store.write { db in
            try lock.check(db)
            try ActiveImport.discardAbandoned(db)
        }
        var hasMore = true
        while hasMore {
            hasMore = try await store.write { db in
                try lock.check(db)
                return try db.execute(
                    """
                    DELETE FROM staged WHERE sequence IN (
                        SELECT sequence FROM staged WHERE import NOT IN (SELECT id FROM import) LIMIT ?)
                    """, [Self.importBatch]) > 0
            }
        }
    }
}
