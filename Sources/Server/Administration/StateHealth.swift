import Primitives
import State
import Synchronization

/// The ability of the server to do its work.
enum Readiness: Sendable, Equatable {
    case ready
    /// The server works, but an operator should act.
    ///
    /// - Parameter reason: The reason, in words that strangers may read.
    case degraded(_ reason: String)
    /// The server works, but an operator wants it to receive no new requests.
    case draining
    /// - Parameter cause: The cause, for the operator.
    case notReady(cause: String)

    /// Returns the readiness with a more detailed cause.
    func withCause(_ describe: (String) -> String) -> Readiness {
        if case .notReady(let cause) = self { .notReady(cause: describe(cause)) } else { self }
    }

    /// Returns the readiness after the state is taken into account that this process has not read yet.
    ///
    /// - Parameter hasEntered: Whether this process has read all revocations and shared facts.
    func withEntrance(_ hasEntered: Bool) -> Readiness {
        guard case .ready = self, !hasEntered else { return self }
        return .notReady(cause: "the revocations and shared facts are not read yet")
    }

    /// Returns the readiness after unreadable state is taken into account.
    ///
    /// - Parameters:
    ///   - revocations: The number of unreadable revocations.
    ///   - rows: The identifiers of other unreadable rows, by table.
    func withUnreadable(revocations: Int, rows: [String: Set<String>]) -> Readiness {
        guard case .ready = self else { return self }
        var reasons = revocations > 0 ? ["revocations that cannot be read: \(revocations)"] : []
        for (table, names) in rows.sorted(by: { $0.key < $1.key }) {
            reasons.append("rows of table \(table) that cannot be read: \(names.count)")
        }
        return reasons.isEmpty ? self : .degraded(reasons.joined(separator: "; "))
    }
}

/// A monitor that checks whether the state store accepts writes. A check is a write, so the monitor checks at most
/// once a second, independent of the number of callers.
final class StateHealth: Sendable {
    private struct Latest {
        let checkedAt: ContinuousClock.Instant
        let result: Task<Readiness, Never>
    }

    private let probe: @Sendable () async throws -> Void
    private let now: @Sendable () -> ContinuousClock.Instant
    private let didChange: @Sendable (Readiness) -> Void
    private let latest = Mutex<Latest?>(nil)
    private let known = Mutex(Readiness.ready)

    private static let minCheckInterval = Duration.seconds(1)

    /// - Parameters:
    ///   - probe: Throws if the state cannot be written.
    ///   - didChange: Called when the result differs from the previous one.
    init(
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now },
        didChange: @escaping @Sendable (Readiness) -> Void = { _ in },
        probe: @escaping @Sendable () async throws -> Void
    ) {
        self.probe = probe
        self.now = now
        self.didChange = didChange
    }

    func readiness() async -> Readiness {
        let task = latest.withLock { latest in
            if let latest, now() - latest.checkedAt < Self.minCheckInterval { return latest.result }
            let task = Task { await result() }
            latest = Latest(checkedAt: now(), result: task)
            return task
        }
        return await task.value
    }

    private func result() async -> Readiness {
        let readiness: Readiness
        do {
            try await probe()
            readiness = .ready
        } catch {
            readiness = .notReady(cause: Self.cause(error))
        }
        let hasChanged = known.withLock { known in
            defer { known = readiness }
            return known != readiness
        }
        if hasChanged { didChange(readiness) }
        return readiness
    }

    /// Returns the error's message if it contains no personal data, otherwise the error's type.
    static func cause(_ error: any Error) -> String {
        switch error {
        case let error as any BackendFailure: error.cause
        case let error as StateStoreError: error.description
        default: "\(type(of: error))"
        }
    }
}
