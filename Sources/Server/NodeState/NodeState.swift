import Foundation
import Gatefold
import Metrics
import PostgreSQL
import Primitives
import SQLAccess
import ServiceLifecycle
import State

/// The files and values with which a node works while the state that it shares is unavailable.
struct NodeState: Sendable {
    let sessionStore: JournaledSessionStore
    let freshness: RevocationFreshness
    private let state: any StateStore
    private let journal: RevocationJournal

    /// Opens the files of a node. Returns nil for the embedded state, which is on the same disk as these files.
    ///
    /// - Throws: ``BootstrapError/state(name:cause:)`` if a file cannot be read.
    init?(
        _ configuration: GatefoldConfiguration, state: any StateStore,
        observe: @escaping @Sendable (JournalEvent) -> Void
    ) throws(BootstrapError) {
        guard case .postgreSQL(let settings, let schema, let folder) = configuration.state.location else { return nil }
        let identity = FileOrigin.identity(
            of: settings.server.parameters["dbname"] ?? "", schema: schema.name, key: configuration.state.pseudonymKey)
        do {
            journal = try RevocationJournal(
                path: folder + "/revocations.journal", identity: identity, observe: observe)
        } catch {
            throw .state(name: configuration.state.location.name, cause: "\(error)")
        }
        self.state = state
        freshness = RevocationFreshness(clock: state.sharedClock ?? .system)
        sessionStore = JournaledSessionStore(state, journal: journal, now: { state.now }, observe: observe)
    }

    /// Checks that the journal belongs to the state, and applies its revocations to the lists. The service writes them to
    /// the store.
    func begin(_ lists: RevocationLists) async throws {
        try await confirm()
        for case .revocation(let revocation) in journal.entries {
            lists.list(for: revocation.publication).add(revocation)
        }
    }

    private func confirm() async throws { try await journal.confirm(try await state.history(), at: state.now) }

    @Sendable private func replay() async throws {
        try await confirm()
        try await journal.replay(into: state)
    }

    /// The service that writes the journal to the store when that is available again.
    func service(_ didFail: @escaping @Sendable (any Error) -> Void) -> any Service {
        JournalService(needsReplay: { journal.needsReplay }, replay: replay, didFail: didFail)
    }

    /// Updates the metrics.
    func measure() {
        guard let age = freshness.age else { return }
        Gauge(label: "gatefold_revocations_age_seconds").record(age)
    }

    /// The cause of an outage with its duration, for an operator.
    func describe(_ cause: String) -> String {
        var parts = [cause]
        if let polledAt = freshness.polledAt, let age = freshness.age {
            parts.append("revocations last read at \(DebugTime.text(polledAt)), \(Int(age)) s ago")
        }
        let count = journal.count
        if count > 0 { parts.append("journal: \(count) entries") }
        return parts.joined(separator: "; ")
    }
}
