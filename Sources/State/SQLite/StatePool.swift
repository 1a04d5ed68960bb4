import GRDB
import SQLAccess

/// The connections to a state. After each transaction, and before it is acknowledged, it is written down how far the state has
/// come.
struct StatePool: Sendable {
    private let guarded: GuardedPool

    init(_ pool: DatabasePool, files: DatabaseFiles, generation: GenerationFile) {
        guarded = GuardedPool(
            pool, files: files,
            didCommit: { db in
                guard let now = try StateGeneration.recorded(db) else { return }
                // What can not be written makes an older copy harder to tell, and no revocation less lasting.
                try? generation.raise(to: now)
            })
    }

    func read<Value: Sendable>(_ body: @Sendable (Database) throws -> Value) async throws -> Value {
        try await guarded.read(body)
    }

    /// Runs the body in a transaction.
    ///
    /// - Throws: `DatabaseFilesChanged` when what was written would not be found again.
    func write<Value: Sendable>(_ body: @Sendable (Database) throws -> Value) async throws -> Value {
        try await guarded.write(body)
    }

    func writeWithoutTransaction<Value: Sendable>(
        _ body: @Sendable (Database) throws -> Value
    ) async throws -> Value {
        try await guarded.writeWithoutTransaction(body)
    }

    /// - Throws: `DatabaseFilesChanged`.
    func checkFiles() throws { try guarded.checkFiles() }

    /// Writes without changing anything: only a write shows that there is room for one.
    func probe() async throws { try await guarded.probe() }

    func close() throws { try guarded.close() }
}
