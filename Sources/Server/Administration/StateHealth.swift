import Gatefold
import State
import Synchronization

/// Whether the server can do its work at present.
enum Readiness: Sendable, Equatable {
    case ready
    /// It does, and somebody should see to something.
    ///
    /// - Parameter reason: in words that strangers may read.
    case degraded(_ reason: String)
    /// - Parameter cause: for the operator.
    case notReady(cause: String)

    /// What it comes to where some of the state cannot be read.
    ///
    /// - Parameters:
    ///   - revocations: how many of them cannot be read.
    ///   - rows: what names other rows that cannot, by table.
    func lacking(revocations: Int, rows: [String: Set<String>]) -> Readiness {
        guard case .ready = self else { return self }
        var reasons = revocations > 0 ? ["revocations that can not be read: \(revocations)"] : []
        for (table, names) in rows.sorted(by: { $0.key < $1.key }) {
            reasons.append("rows of table \(table) that cannot be read: \(names.count)")
        }
        return reasons.isEmpty ? self : .degraded(reasons.joined(separator: "; "))
    }
}

/// Whether the state takes what has to be kept. To ask it is to write, so it is asked once a second at most, however many want
/// to know.
final class StateHealth: Sendable {
    private struct Latest {
        let asked: ContinuousClock.Instant
        let result: Task<Readiness, Never>
    }

    private let ask: @Sendable () async throws -> Void
    private let now: @Sendable () -> ContinuousClock.Instant
    private let didChange: @Sendable (Readiness) -> Void
    private let latest = Mutex<Latest?>(nil)
    private let known = Mutex(Readiness.ready)

    private static let spacing = Duration.seconds(1)

    /// - Parameters:
    ///   - ask: throws when the state can not be written to.
    ///   - didChange: called when the result is not the one of before.
    init(
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now },
        didChange: @escaping @Sendable (Readiness) -> Void = { _ in }, ask: @escaping @Sendable () async throws -> Void
    ) {
        self.ask = ask
        self.now = now
        self.didChange = didChange
    }

    func readiness() async -> Readiness {
        let task = latest.withLock { latest in
            if let latest, now() - latest.asked < Self.spacing { return latest.result }
            let task = Task { await result() }
            latest = Latest(asked: now(), result: task)
            return task
        }
        return await task.value
    }

    private func result() async -> Readiness {
        let readiness: Readiness
        do {
            try await ask()
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

    /// The error in words, where it has some that hold nothing of anybody; else its type.
    static func cause(_ error: any Error) -> String {
        switch error {
        case let error as any BackendFailure: error.cause
        case let error as StateStoreError: error.description
        default: "\(type(of: error))"
        }
    }
}
