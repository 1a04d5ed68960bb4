import Foundation
import Gatefold
import Primitives
import Resilience
import Synchronization

/// The lazy migration of readers from other systems into a store of our own. A reader is copied at sign-in, so that
/// weak hashes and whole systems can be retired unnoticed.
///
/// The migration runs concurrently with the sign-in and never delays it or makes it fail. A reader who is not
/// written because of the queue limit or a busy store is written at the next sign-in.
final class LazyMigration: Sendable {
    /// The maximum number of concurrent writes. Hashing a password occupies a core, and sign-ins need the other
    /// cores.
    static let maxConcurrent = 2
    static let maxQueued = 64
    private static let capacity = 100_000

    private struct State {
        var present = 0
        /// Digests of the content that was last written for each reader, by a digest of the reader.
        var written = BoundedCache<[UInt8], [UInt8]>(capacity: LazyMigration.capacity)
    }

    private let chain: String
    private let migrationTarget: any LazyMigrationTarget
    private let pseudonymKey: PseudonymKey
    private let observe: @Sendable (BackendEvent) -> Void
    private let state = Mutex(State())
    private let work = AsyncSemaphore(maxConcurrent: LazyMigration.maxConcurrent)

    init(
        chain: String, migrationTarget: any LazyMigrationTarget, pseudonymKey: PseudonymKey,
        observe: @escaping @Sendable (BackendEvent) -> Void
    ) {
        self.chain = chain
        self.migrationTarget = migrationTarget
        self.pseudonymKey = pseudonymKey
        self.observe = observe
    }

    /// The adopter's name.
    var name: String { migrationTarget.name }

    /// Schedules the migration of a reader, if the queue has room.
    ///
    /// - Parameter memberships: The other systems that accepted these credentials. Nothing happens if the list is
    ///   empty.
    func scheduleMigration(_ credentials: Credentials, in memberships: [ChainMembership], context: CallContext) {
        guard !memberships.isEmpty else { return }
        let mustNotWait = state.withLock { state in
            guard state.present < Self.maxConcurrent + Self.maxQueued else { return false }
            state.present += 1
            return true
        }
        guard mustNotWait else { return report("lazy_migration_dropped") }
        Task { [self] in
            await work.run {
                do {
                    try await migrate(credentials, memberships, context)
                } catch {
                    report("lazy_migration_failed", BackendCause.text(of: error))
                }
            }
            state.withLock { $0.present -= 1 }
        }
    }

    /// Waits until no migration is in progress.
    func settled() async {
        while state.withLock(\.present) > 0 { await Task.yield() }
    }

    private func migrate(
        _ credentials: Credentials, _ memberships: [ChainMembership], _ context: CallContext
    ) async throws {
        var reported: [Subscription] = []
        for membership in memberships {
            reported.append(
                try await membership.backend.subscription(of: membership.subscriber, context: context).value)
        }
        let subscription = SubscriptionUnion.of(reported)
        // A reader who has become unknown, or must sign in again, is not written.
        guard subscription.state != .unknown, subscription.state != .stale else { return }
        let origins = memberships.map {
            LazyMigrationOrigin(backend: $0.subscriber.backend, reference: pseudonymKey.reference(to: $0.subscriber))
        }
        let reader = pseudonymKey.digest("adopted reader", [credentials.identifier])
        let content = digest(credentials, origins, subscription)
        if state.withLock({ $0.written[reader] == content }) { return }
        switch try await migrationTarget.migrate(credentials, from: origins, subscription: subscription) {
        case .written: report("lazy_migration_completed")
        case .ownedByOtherBackend(let backend): report("lazy_migration_conflict", text(origins, backend))
        case .unchanged, .ownedByOperator: break
        }
        state.withLock { $0.written.insert(content, for: reader) }
    }

    /// Returns a digest of a reader's content. The digest is keyed, so that it reveals nothing about the password.
    private func digest(
        _ credentials: Credentials, _ origins: [LazyMigrationOrigin], _ subscription: Subscription
    ) -> [UInt8] {
        var parts = origins.flatMap { [$0.backend, $0.reference.description] }
        parts += ["credentials"] + credentials.names.flatMap { [$0, credentials[$0] ?? ""] }
        parts += ["state", subscription.state.rawValue, subscription.message ?? ""]
        switch subscription.entitlement {
        case .allEditions: parts.append("all")
        case .editions(let held): parts += ["editions"] + held.map(\.rawValue).sorted()
        }
        parts.append("periods")
        parts += subscription.periods.map { "\($0.start.timeIntervalSince1970) \($0.end?.timeIntervalSince1970 ?? 0)" }
        parts.append("info")
        parts += subscription.userInfo.flatMap { [$0.scheme, $0.value] }
        return pseudonymKey.digest("adopted content", parts)
    }

    private func text(_ origins: [LazyMigrationOrigin], _ backend: String) -> String {
        "a reader of \(origins.map(\.backend).joined(separator: ", ")) has the identifier of one migrated "
            + "from \(backend)"
    }

    private func report(_ event: String, _ detail: String? = nil) {
        observe(BackendEvent(backend: chain, name: event, detail: detail))
    }
}
