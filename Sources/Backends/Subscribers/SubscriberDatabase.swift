public import GRDB
import Gatefold
import PasswordHashing
public import Primitives
import State
import Synchronization

/// The subscribers that Gatefold itself stores, in a SQLite file or in PostgreSQL.
///
/// An acknowledged change is on disk when the call returns.
public struct SubscriberDatabase: Sendable {
    let store: any SubscriberStore
    let clock: WallClock
    /// A Boolean value that indicates whether reads show the pending rows of an import without applying them.
    var isReadOnly = false
    private let dummyHashCache = DummyHashCache()

    init(_ store: any SubscriberStore, clock: WallClock) {
        self.store = store
        self.clock = clock
    }

    /// Opens a SQLite file and migrates its tables. Creates a file that only its owner can read if none exists.
    ///
    /// - Parameters:
    ///   - path: The path of the database file.
    ///   - clock: The source of the current time.
    ///   - prepare: Called with every new connection, for tracing.
    /// - Throws: ``SubscriberDatabaseError/cannotOpen(path:reason:)`` or
    ///   ``SubscriberDatabaseError/newerSchema(path:reason:)``.
    public init(
        path: String, clock: WallClock = .system, prepare: @escaping @Sendable (Database) throws -> Void = { _ in }
    ) throws {
        self.init(try SQLiteSubscriberStore(path: path, prepare: prepare), clock: clock)
    }

    /// Checks the database. Throws an error if it is unavailable.
    public func health() async throws { try await store.health() }

    /// Returns the hashes that stand for those of unknown identifiers.
    func dummyHashes(_ db: any StateTransaction) throws -> DummyHashes {
        try dummyHashCache.value {
            guard let key = try db.bytes("SELECT key FROM dummy_hash") else {
                throw UnreadableRow(table: "dummy_hash", column: "key")
            }
            return DummyHashes(key: key)
        }
    }

    /// Returns whether the database accepts an identifier. SQLite text ends at a NUL, so an identifier with a NUL
    /// would match a shorter one.
    ///
    /// Source: Pitfall 13, “Injection into the subscriber system”.
    static func accepts(identifier: String) -> Bool {
        (1...CredentialFields.maxFieldLength).contains(identifier.utf8.count) && !identifier.utf8.contains(0)
    }
}

/// The key of the dummy hashes, which never changes, read once.
private final class DummyHashCache: Sendable {
    private let known = Mutex<DummyHashes?>(nil)

    func value(_ load: () throws -> DummyHashes) throws -> DummyHashes {
        if let value = known.withLock(\.self) { return value }
        let loaded = try load()
        known.withLock { $0 = loaded }
        return loaded
    }
}

/// The cause of a failure of the subscriber database.
public enum SubscriberDatabaseError: BackendFailure, Equatable, CustomStringConvertible {
    case cannotOpen(path: String, reason: String)
    /// A newer release has changed the tables.
    case newerSchema(path: String, reason: String)
    /// The database server cannot be used at present.
    case unavailable(reason: String)
    /// A text with control characters. Stored text may contain only tabs and line ends.
    case unacceptableText(column: String)

    /// A Boolean value that indicates whether the fix is to start another release rather than to repair the file.
    package var isNewerSchema: Bool {
        if case .newerSchema = self { true } else { false }
    }

    public var cause: String { description }

    public var description: String {
        switch self {
        case .newerSchema(let path, let reason): "cannot open the subscriber database \(path): \(reason)"
        case .cannotOpen(let path, let reason): "cannot open the subscriber database \(path): \(reason)"
        case .unavailable(let reason): "the subscriber database cannot be read or written: \(reason)"
        case .unacceptableText(let column): "\(column): expected text without control characters"
        }
    }
}
