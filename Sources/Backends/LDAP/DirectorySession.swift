import LDAP
import SQLAccess
import Synchronization

/// The order of several servers. The server that last accepted a connection is first.
final class DirectoryServers: Sendable {
    private let urls: [DirectoryURL]
    private let preferred = Atomic(0)

    init(_ urls: [DirectoryURL]) {
        self.urls = urls
    }

    /// All servers, starting with the preferred one.
    var order: [(index: Int, url: DirectoryURL)] {
        let first = preferred.load(ordering: .relaxed)
        return urls.indices.map { ($0 + first) % urls.count }.map { ($0, urls[$0]) }
    }

    func prefer(_ index: Int) {
        preferred.store(index, ordering: .relaxed)
    }
}

/// The connections that a query needs: one that searches as the service, and one for readers' binds, because a bind
/// changes the identity of its connection.
final class DirectorySession: PooledConnection {
    private struct State {
        var reader: LDAPConnection?
        var binder: LDAPConnection?
        var isInterrupted = false
    }

    private let library: LDAPLibrary
    private let settings: LDAPSettings
    private let servers: DirectoryServers
    private let state = Mutex(State())

    init(library: LDAPLibrary, settings: LDAPSettings, servers: DirectoryServers) {
        self.library = library
        self.settings = settings
        self.servers = servers
    }

    func connect() throws {
        let identity = settings.identity
        try open(\.reader) { connection in
            guard case .service(let name, let password) = identity else { return }
            let code = try connection.bind(name: name, password: password)
            guard code == .success else { throw DirectoryFailure.serviceBind(code) }
        }
    }

    var isUsable: Bool {
        let (reader, binder, isInterrupted) = state.withLock { ($0.reader, $0.binder, $0.isInterrupted) }
        return !isInterrupted && reader?.isUsable == true && binder?.isUsable != false
    }

    func interrupt() {
        state.withLock { state in
            state.isInterrupted = true
            state.reader?.interrupt()
            state.binder?.interrupt()
        }
    }

    func close() {
        let (reader, binder) = state.withLock { ($0.reader, $0.binder) }
        reader?.close()
        binder?.close()
    }

    /// Searches as the service.
    ///
    /// - Returns: The result, or `nil` if the base does not exist.
    func search(_ search: DirectorySearch) throws -> SearchResult? {
        guard let reader = state.withLock({ $0.reader }) else { throw LDAPError.connectionLost }
        return try reader.search(search)
    }

    func compare(name: String, attribute: String, value: String) throws -> ResultCode {
        guard let reader = state.withLock({ $0.reader }) else { throw LDAPError.connectionLost }
        return try reader.compare(name: name, attribute: attribute, value: Array(value.utf8))
    }

    /// Binds as a reader.
    func bind(name: String, password: String) throws -> ResultCode {
        if state.withLock({ $0.binder }) == nil { try open(\.binder) { _ in } }
        guard let binder = state.withLock({ $0.binder }) else { throw LDAPError.connectionLost }
        return try binder.bind(name: name, password: Array(password.utf8))
    }

    /// Connects to the first server that accepts the connection.
    private func open(
        _ slot: any WritableKeyPath<State, LDAPConnection?> & Sendable, prepare: (LDAPConnection) throws -> Void
    ) throws {
        var failure: any Error = LDAPError.unreachable
        for (index, url) in servers.order {
            let connection = LDAPConnection(library: library, url: url, options: settings.options)
            let isInterrupted = state.withLock { state in
                state[keyPath: slot] = connection
                return state.isInterrupted
            }
            guard !isInterrupted else { throw LDAPError.connectionLost }
            do {
                try connection.connect()
                try prepare(connection)
                return servers.prefer(index)
            } catch {
                connection.close()
                guard Self.isServerSpecific(error) else { throw error }
                failure = error
            }
        }
        throw failure
    }

    /// Returns whether the error may concern one server only, so that another server is tried.
    private static func isServerSpecific(_ error: any Error) -> Bool {
        switch error {
        case LDAPError.unreachable, LDAPError.insecure, LDAPError.connectionLost, LDAPError.timedOut: true
        case LDAPError.rejected(_, let code), DirectoryFailure.serviceBind(let code):
            code == .busy || code == .unavailable
        default: false
        }
    }
}
