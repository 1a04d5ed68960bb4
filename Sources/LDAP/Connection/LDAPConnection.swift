import Synchronization

/// A connection to a directory, used through blocking calls that another thread can interrupt.
public final class LDAPConnection: Sendable {
    private let directorySocket: DirectorySocket
    /// The connection of libldap. A call holds the lock until it ends, so ``interrupt()`` does not use it.
    private let connection: Mutex<LibLDAPConnection>

    public init(library: LDAPLibrary, url: DirectoryURL, options: LDAPOptions) {
        let directorySocket = DirectorySocket()
        self.directorySocket = directorySocket
        connection = Mutex(LibLDAPConnection(library.functions, url, options, directorySocket))
    }

    /// A Boolean value that indicates whether the connection is open and no error has left its state uncertain.
    public var isUsable: Bool { connection.withLock { $0.isUsable } }

    /// Connects, and sets up TLS where it is configured.
    public func connect() throws(LDAPError) {
        try connection.withLock { connection throws(LDAPError) in try connection.connect() }
    }

    /// Makes a call in progress on another thread return soon, and makes the connection unusable.
    public func interrupt() { directorySocket.shutDown() }

    /// Unbinds and frees the connection, which is not used again.
    public func close() { connection.withLock { $0.close() } }

    /// Performs a simple bind (RFC 4513 section 5.1.3).
    ///
    /// - Returns: the server's result code. Its meaning depends on the account that binds.
    /// - Throws: ``LDAPError/unauthenticatedBind`` for an empty name or password, because such a bind would
    ///   succeed as anonymous (RFC 4513 section 5.1.2).
    public func bind(name: String, password: [UInt8]) throws(LDAPError) -> ResultCode {
        try connection.withLock { connection throws(LDAPError) in try connection.bind(name, password) }
    }

    /// Asks the server whether an attribute has a value. Result codes other than true and false are errors.
    public func compare(name: String, attribute: String, value: [UInt8]) throws(LDAPError) -> ResultCode {
        try connection.withLock { connection throws(LDAPError) in try connection.compare(name, attribute, value) }
    }

    /// Searches for entries.
    ///
    /// - Returns: the entries that were found, or nil when the base does not exist.
    /// - Throws: ``LDAPError`` unless the response is complete, or complete up to the limit.
    public func search(_ search: DirectorySearch) throws(LDAPError) -> SearchResult? {
        try connection.withLock { connection throws(LDAPError) in try connection.search(search) }
    }
}
