import Foundation
import Gatefold
import Logging
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
    /// The other nodes, to which this node announces each revocation.
    let peers: RevocationPeers
    private let lock: NodeFolderLock
    private let state: any StateStore
    private let lists: RevocationLists
    private let journal: RevocationJournal
    private let snapshot: RevocationSnapshot
    private let events: EventReporter
    private let key: PseudonymKey

    /// Opens the files of a node. Returns nil for the embedded state, which is on the same disk as these files.
    ///
    /// - Parameter lists: The revocation lists of this process.
    /// - Throws: ``BootstrapError/state(name:cause:)`` if a file cannot be read, or if another process uses them.
    init?(
        _ configuration: GatefoldConfiguration, state: any StateStore, lists: RevocationLists, events: EventReporter,
        logger: Logger
    ) throws(BootstrapError) {
        guard case .postgreSQL(let settings, let schema, let folder, _) = configuration.state.location else {
            return nil
        }
        let identity = FileOrigin.identity(
            of: settings.server.parameters["dbname"] ?? "", schema: schema.name, key: configuration.state.pseudonymKey)
        do {
            lock = try NodeFolderLock(folder: folder)
            journal = try RevocationJournal(
                path: folder + "/revocations.journal", identity: identity, observe: events.report)
        } catch {
            throw .state(name: configuration.state.location.name, cause: "\(error)")
        }
        let clock = state.sharedClock ?? .system
        self.state = state
        self.lists = lists
        self.events = events
        freshness = RevocationFreshness(clock: clock)
        let peers = RevocationPeers(
            key: configuration.state.pseudonymKey, clock: clock, logger: logger,
            send: RevocationPeers.client(trusting: configuration.nodeAuthorities))
        self.peers = peers
        key = configuration.state.pseudonymKey
        sessionStore = JournaledSessionStore(
            state, journal: journal, now: { clock.now },
            announce: { revocations in
                for revocation in revocations { lists.list(for: revocation.publication).add(revocation) }
                await peers.announce(revocations)
            }, observe: events.report)
        snapshot = RevocationSnapshot(
            path: folder + "/revocations.snapshot", identity: identity, lists: lists, freshness: freshness,
            clock: clock)
    }

    /// Checks that the files belong to the state, and applies the revocations of the journal. The service writes them to
    /// the store.
    func begin() async throws {
        try await journal.confirm(try await confirmHistory(), at: state.now)
        applyJournal()
    }

    /// Reads the history of the state, so that files that are written later belong to its generation.
    ///
    /// - Returns: The time before which all sessions are ended; nil if that never happened.
    @Sendable func readFloor() async throws -> Date? {
        let history = try await confirmHistory()
        journal.assume(history, at: state.now)
        return history.floor
    }

    private func confirmHistory() async throws -> StateHistory {
        let history = try await state.history()
        if !snapshot.confirm(history, at: state.now) { events.report(SnapshotEvent.otherState) }
        return history
    }

    /// Restores the revocations from the files of this node, because no server can be reached.
    ///
    /// - Parameter failure: The error of ``begin()`` or of another call of the store.
    /// - Throws: The error if it has another cause, or if there is no snapshot that can be used.
    func begin(after failure: any Error) throws {
        guard case .unreachable(let cause)? = failure as? StateStoreError else { throw failure }
        let origin: FileOrigin
        do {
            origin = try snapshot.restore()
        } catch {
            throw StateStoreError.unreachable(
                reason: "\(cause); the snapshot of revocations cannot be used: \(error.rawValue)")
        }
        journal.assume(origin)
        applyJournal()
        events.report(SnapshotEvent.restored(polledAt: freshness.polledAt ?? origin.confirmedAt, cause: cause))
    }

    /// Applies the revocations that another node has announced.
    ///
    /// - Returns: False if the message was not sealed with the secret of the state or is too old.
    func receive(_ sealed: [UInt8]) -> Bool {
        guard let message = key.open(sealed, at: (state.sharedClock ?? .system).now) else { return false }
        for revocation in message.revocations { lists.list(for: revocation.publication).add(revocation) }
        return true
    }

    private func applyJournal() {
        for case .revocation(let revocation) in journal.entries {
            lists.list(for: revocation.publication).add(revocation)
        }
    }

    @Sendable private func replay() async throws {
        try await journal.confirm(try await state.history(), at: state.now)
        try await journal.replay(into: state)
    }

    /// The service that writes the journal to the store when that is available again.
    func journalService(_ didFail: @escaping @Sendable (any Error) -> Void) -> any Service {
        JournalService(needsReplay: { journal.needsReplay }, replay: replay, didFail: didFail)
    }

    /// The service that writes the snapshot of revocations.
    var snapshotService: any Service { SnapshotService(snapshot: snapshot, observe: events.report) }

    /// Updates the metrics.
    func measure() {
        guard let age = freshness.age else { return }
        Gauge(label: "gatefold_revocations_age_seconds").record(age)
    }

    /// Returns the cause of an outage with its duration and consequences, for an operator.
    func describe(_ cause: String, _ publications: [PublicationID: AuthorizationService]) -> String {
        var parts = [cause]
        if let polledAt = freshness.polledAt, let age = freshness.age {
            parts.append("revocations last read at \(DebugTime.text(polledAt)), \(Int(age)) s ago")
        }
        let count = journal.count
        if count > 0 { parts.append("journal: \(count) entries") }
        let limited = publications.filter(\.value.hasOutdatedRevocations).keys.sorted()
        if !limited.isEmpty {
            parts.append("max_revocation_age exceeded: \(limited.map(\.rawValue).joined(separator: ", "))")
        }
        return parts.joined(separator: "; ")
    }
}
