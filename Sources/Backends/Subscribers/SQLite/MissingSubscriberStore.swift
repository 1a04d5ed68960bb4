import State

/// The store in place of a file that does not exist, for a command that must not create it. Every call is a failure.
struct MissingSubscriberStore: SubscriberStore {
    let path: String

    private var error: SubscriberDatabaseError { .cannotOpen(path: path, reason: "the file does not exist") }

    var importedTogether: Int { 1 }

    func read<Value: Sendable>(
        _ body: @escaping @Sendable (any StateTransaction) throws -> Value
    ) async throws -> Value { throw error }

    func write<Value: Sendable>(
        _ isolation: StateIsolation, _ body: @escaping @Sendable (any StateTransaction) throws -> Value
    ) async throws -> Value { throw error }

    func writeWithoutWaiting<Value: Sendable>(
        _ body: @escaping @Sendable (any StateTransaction) throws -> Value
    ) async throws -> Value { throw error }

    func lockImports() async throws -> any ImportLock { throw error }

    func health() async throws { throw error }
}
