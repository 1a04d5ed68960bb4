import Foundation
import Gatefold
import InPlayer
import Synchronization

/// The clients of those sessions that asked last, one for each: whatever asks at the same time shares it, so that tokens are
/// refreshed once, and what a refresh brought serves until our own token is renewed.
final class InPlayerSessions: Sendable {
    /// A client, and what it keeps its tokens in.
    struct Seat: Sendable {
        let id: String
        let client: InPlayerClient
        fileprivate let storage: MemorySessionStorage
        fileprivate let number: Int

        /// The tokens at this moment; nil when the session is over.
        var session: InPlayerSession? { storage.load().map { InPlayerSession(id: id, $0) } }
    }

    private struct State {
        var seats: [String: Seat] = [:]
        var ids: [Int: String] = [:]
        var order = RecencyList()
    }

    private let most: Int
    private let open: @Sendable (MemorySessionStorage) -> InPlayerClient
    private let state = Mutex(State())

    /// - Parameters:
    ///   - most: that are kept; those unused for longest go first, and come back with the tokens sealed in ours.
    ///   - open: makes a client.
    init(most: Int, open: @escaping @Sendable (MemorySessionStorage) -> InPlayerClient) {
        self.most = most
        self.open = open
    }

    /// The seat of a session, with the newest tokens known: those kept here, or those it comes with where another process
    /// has renewed them since.
    func seat(of session: InPlayerSession) -> Seat {
        state.withLock { state in
            if let seat = state.seats[session.id] {
                if let kept = seat.storage.load(), !Self.isNewer(session.expires, than: kept.expires) {
                    state.order.use(seat.number)
                    return seat
                }
                Self.remove(seat, from: &state)
            }
            while state.seats.count >= most, let oldest = state.order.oldest(), let id = state.ids[oldest],
                let seat = state.seats[id]
            {
                Self.remove(seat, from: &state)
            }
            let storage = MemorySessionStorage(session.stored)
            let seat = Seat(id: session.id, client: open(storage), storage: storage, number: state.order.insert())
            state.seats[seat.id] = seat
            state.ids[seat.number] = seat.id
            return seat
        }
    }

    /// Its tokens are no longer good: whoever comes with others is asked about anew.
    func leave(_ seat: Seat) {
        state.withLock { state in
            guard state.seats[seat.id]?.storage === seat.storage else { return }
            Self.remove(seat, from: &state)
        }
    }

    var count: Int { state.withLock { $0.seats.count } }

    private static func remove(_ seat: Seat, from state: inout State) {
        state.seats[seat.id] = nil
        state.ids[seat.number] = nil
        state.order.remove(seat.number)
    }

    private static func isNewer(_ end: Date?, than kept: Date?) -> Bool {
        guard let end, let kept else { return false }
        // Ours has whole seconds.
        return end.timeIntervalSince1970.rounded(.down) > kept.timeIntervalSince1970.rounded(.down)
    }
}
