import Gatefold
import Metrics
import Synchronization

/// The load of all requests of a listener.
final class ListenerLoad: Sendable {
    fileprivate let work: Mutex<RequestAdmission>
    fileprivate let bodies: Mutex<BodyBudget>
    /// The budget for the bodies of store notifications. They have their own budget because they need no sign-in
    /// and are large.
    fileprivate let notifications: Mutex<BodyBudget>

    init(_ limits: ListenerLimits) {
        work = Mutex(RequestAdmission(limits))
        bodies = Mutex(BodyBudget(limit: limits.bodyMemory))
        notifications = Mutex(BodyBudget(limit: limits.notificationBodyMemory))
    }
}

/// The load of one request, until it ends.
final class RequestLoad: Sendable {
    private struct Taken {
        var bytes = 0
        var cost = 0
        var isWorking = false
        var wasRejected = false
    }

    private let load: ListenerLoad
    private let connection: ObjectIdentifier
    private let client: ClientAddress?
    private let isNotification: Bool
    private let didReject: @Sendable (String) -> Void
    private let taken = Mutex(Taken())

    /// - Parameters:
    ///   - client: The client address; nil if the limits of one client do not apply.
    ///   - didReject: Receives the name of a limit at the moment when the request reaches it, before a handler that reads the
    ///     body gives the error another meaning.
    init(
        of load: ListenerLoad, connection: ObjectIdentifier, client: ClientAddress?, isNotification: Bool,
        didReject: @escaping @Sendable (String) -> Void
    ) {
        self.load = load
        self.connection = connection
        self.client = client
        self.isNotification = isNotification
        self.didReject = didReject
    }

    /// A Boolean value that indicates whether a limit was reached.
    var wasRejected: Bool { taken.withLock(\.wasRejected) }

    /// Counts bytes of the body.
    ///
    /// - Throws: ``LimitReached`` if no memory is left for them.
    func take(_ bytes: Int) throws(LimitReached) {
        let isAdmitted = taken.withLock { taken in
            taken.bytes += bytes
            let more = BodyBudget.cost(of: taken.bytes) - taken.cost
            guard more > 0 else { return true }
            guard budget({ $0.take(more, client) }) else {
                taken.wasRejected = true
                return false
            }
            taken.cost += more
            return true
        }
        if !isAdmitted { throw rejection("body_memory") }
    }

    /// Records that the request is complete and in progress from now on.
    ///
    /// - Throws: ``LimitReached`` if too many requests are in progress.
    func beginWork() throws(LimitReached) {
        let rejected = taken.withLock { taken -> RequestAdmission.Rejection? in
            guard !taken.isWorking else { return nil }
            let rejected = load.work.withLock { $0.enter(connection, client) }
            taken.isWorking = rejected == nil
            taken.wasRejected = rejected != nil
            return rejected
        }
        if let rejected { throw rejection(rejected.label) }
    }

    /// Releases everything. Called when the work has ended, with or without an error.
    func end() {
        taken.withLock { taken in
            if taken.cost > 0 { budget { $0.release(taken.cost, client) } }
            if taken.isWorking { load.work.withLock { $0.leave(connection, client) } }
            taken.cost = 0
            taken.isWorking = false
        }
    }

    private func budget<Result>(_ body: (inout BodyBudget) -> Result) -> Result {
        isNotification ? load.notifications.withLock { body(&$0) } : load.bodies.withLock { body(&$0) }
    }

    private func rejection(_ limit: String) -> LimitReached {
        didReject(limit)
        Counter(label: "gatefold_requests_rejected_total", dimensions: [("limit", limit)]).increment()
        return LimitReached()
    }
}

/// An error that indicates that a limit of the listener is reached. The client may try again later.
struct LimitReached: Error {}

extension RequestAdmission.Rejection {
    fileprivate var label: String {
        switch self {
        case .total: "requests"
        case .address: "requests_per_address"
        case .connection: "requests_per_connection"
        }
    }
}
