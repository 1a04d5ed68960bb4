import Synchronization

/// Keeps the session as long as the process runs.
public final class MemorySessionStorage: SessionStorage {
    private let session: Mutex<StoredSession?>

    public init(_ session: StoredSession? = nil) {
        self.session = Mutex(session)
    }

    public func load() -> StoredSession? { session.withLock { $0 } }
    public func save(_ session: StoredSession) { self.session.withLock { $0 = session } }
    public func remove() { session.withLock { $0 = nil } }
}
