import Foundation
import InPlayer
import Primitives
import Synchronization

/// The clients of recently used sessions, one per session. Concurrent queries share the client, so that tokens are
/// refreshed once, and refreshed tokens are used until Gatefold's own token is renewed.
final class InPlayerSessions: Sendable {
    /// A client and the storage of its tokens.
    struct ClientSession: Sendable {
        let id: String
        let client: InPlayerClient
        fileprivate let storage: InMemorySessionStorage
        fileprivate let number: Int

        /// The current tokens, or `nil` if the session is over.
        var session: InPlayerSession? { storage.load().map { InPlayerSession(id: id, $0) } }
    }

    private struct State {
        var clientSessions: [String: ClientSession] = [:]
        var ids: [Int: String] = [:]
        var order = LRUList()
    }

    private let limit: Int
    private let open: @Sendable (InMemorySessionStorage) -> InPlayerClient
    private let state = Mutex(State())

    /// Creates an empty collection.
    ///
    /// - Parameters:
    ///   - limit: The maximum number of clients. The least recently used are removed and return with the tokens
    ///     sealed in Gatefold's token.
    ///   - open: Creates a client.
    init(limit: Int, open: @escaping @Sendable (InMemorySessionStorage) -> InPlayerClient) {
        self.limit = limit
        self.open = open
    }

    /// Returns the seat of a session with its newest known tokens: the stored tokens, or the session's own if
    /// another process has renewed them since.
    func clientSession(of session: InPlayerSession) -> ClientSession {
        state.withLock { state in
            if let clientSession = state.clientSessions[session.id] {
                if let stored = clientSession.storage.load(), !Self.isNewer(session.expires, than: stored.expires) {
                    state.order.use(clientSession.number)
                    return clientSession
                }
                Self.remove(clientSession, from: &state)
            }
            while state.clientSessions.count >= limit, let oldest = state.order.oldest(), let id = state.ids[oldest],
                let clientSession = state.clientSessions[id]
            {
                Self.remove(clientSession, from: &state)
            }
            let storage = InMemorySessionStorage(session.stored)
            let clientSession = ClientSession(
                id: session.id, client: open(storage), storage: storage, number: state.order.insert())
            state.clientSessions[clientSession.id] = clientSession
            state.ids[clientSession.number] = clientSession.id
            return clientSession
        }
    }

    /// Removes a seat whose tokens are no longer valid, so that a session with other tokens starts a new one.
    func leave(_ clientSession: ClientSession) {
        state.withLock { state in
            guard state.clientSessions[clientSession.id]?.storage === clientSession.storage else { return }
            Self.remove(clientSession, from: &state)
        }
    }

    var count: Int { state.withLock { $0.clientSessions.count } }

    private static func remove(_ clientSession: ClientSession, from state: inout State) {
        state.clientSessions[clientSession.id] = nil
        state.ids[clientSession.number] = nil
        state.order.remove(clientSession.number)
    }

    private static func isNewer(_ end: Date?, than stored: Date?) -> Bool {
        guard let end, let stored else { return false }
        // The expiry in Gatefold's token has whole seconds.
        return end.timeIntervalSince1970.rounded(.down) > stored.timeIntervalSince1970.rounded(.down)
    }
}
