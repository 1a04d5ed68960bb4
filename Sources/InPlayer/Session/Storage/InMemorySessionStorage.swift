import Synchronization

/// A storage of the session in memory, for the lifetime of the process.
public final class InMemorySessionStorage: SessionStorage {
    private let session: Mutex<StoredSession?>

    public init(_ session: StoredSession? = nil) {
        self.session = Mutex(session)
    }

    public func load() -> StoredSession? { session.withLock { $0 } }
    public func save(_ session: StoredSession) { self.session.withLock { $0 = session } }
    public func remove() { session.withLock { $0 = nil } }
}
