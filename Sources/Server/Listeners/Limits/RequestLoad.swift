import Gatefold
import Metrics
import Synchronization

/// What all requests of a listener take together.
final class ListenerLoad: Sendable {
    fileprivate let work: Mutex<RequestAdmission>
    fileprivate let bodies: Mutex<BodyBudget>
    /// Store notifications need no sign-in and are large, so that their bodies have a budget of their own.
    fileprivate let notifications: Mutex<BodyBudget>

    init(_ limits: ListenerLimits) {
        work = Mutex(RequestAdmission(limits))
        bodies = Mutex(BodyBudget(most: limits.bodyMemory))
        notifications = Mutex(BodyBudget(most: limits.notificationBodyMemory))
    }
}

/// What one request takes, until it ends.
final class RequestLoad: Sendable {
    private struct Taken {
        var bytes = 0
        var cost = 0
        var isWorking = false
        var wasRefused = false
    }

    private let load: ListenerLoad
    private let connection: ObjectIdentifier
    private let client: ClientAddress?
    private let isNotification: Bool
    private let taken = Mutex(Taken())

    /// - Parameter client: nil where the limits of one client do not apply.
    init(of load: ListenerLoad, connection: ObjectIdentifier, client: ClientAddress?, isNotification: Bool) {
        self.load = load
        self.connection = connection
        self.client = client
        self.isNotification = isNotification
    }

    /// Whether a limit was reached.
    var wasRefused: Bool { taken.withLock(\.wasRefused) }

    /// Counts bytes of the body.
    ///
    /// - Throws: ``LimitReached`` where no memory is left for them.
    func take(_ bytes: Int) throws(LimitReached) {
        let isAdmitted = taken.withLock { taken in
            taken.bytes += bytes
            let more = BodyBudget.cost(of: taken.bytes) - taken.cost
            guard more > 0 else { return true }
            guard budget({ $0.take(more, client) }) else {
                taken.wasRefused = true
                return false
            }
            taken.cost += more
            return true
        }
        if !isAdmitted { throw refusal("body_memory") }
    }

    /// The request is complete, and is worked on from now.
    ///
    /// - Throws: ``LimitReached`` where too many are.
    func beginWork() throws(LimitReached) {
        let refused = taken.withLock { taken -> RequestAdmission.Refusal? in
            guard !taken.isWorking else { return nil }
            let refused = load.work.withLock { $0.enter(connection, client) }
            taken.isWorking = refused == nil
            taken.wasRefused = refused != nil
            return refused
        }
        if let refused { throw refusal(refused.label) }
    }

    /// Gives everything back. Called once the work has ended, however it ended.
    func end() {
        taken.withLock { taken in
            if taken.cost > 0 { budget { $0.giveBack(taken.cost, client) } }
            if taken.isWorking { load.work.withLock { $0.leave(connection, client) } }
            taken.cost = 0
            taken.isWorking = false
        }
    }

    private func budget<Result>(_ body: (inout BodyBudget) -> Result) -> Result {
        isNotification ? load.notifications.withLock { body(&$0) } : load.bodies.withLock { body(&$0) }
    }

    private func refusal(_ limit: String) -> LimitReached {
        Counter(label: "gatefold_requests_refused_total", dimensions: [("limit", limit)]).increment()
        return LimitReached()
    }
}

/// A limit of the listener is reached; the client may try again in a while.
struct LimitReached: Error {}

extension RequestAdmission.Refusal {
    fileprivate var label: String {
        switch self {
        case .total: "requests"
        case .address: "requests_per_address"
        case .connection: "requests_per_connection"
        }
    }
}
