/// Where the session is kept between two starts of an app.
public protocol SessionStorage: Sendable {
    /// - Returns: nil when nobody is signed in.
    func load() throws -> StoredSession?
    func save(_ session: StoredSession) throws
    /// Nothing happens when there is none.
    func remove() throws
}
