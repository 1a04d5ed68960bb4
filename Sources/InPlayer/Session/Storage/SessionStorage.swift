/// A storage of the session between two launches of an app.
public protocol SessionStorage: Sendable {
    /// Loads the session.
    ///
    /// - Returns: The session, or nil if no reader is signed in.
    func load() throws -> StoredSession?
    func save(_ session: StoredSession) throws
    /// Removes the session. Does nothing if there is none.
    func remove() throws
}
