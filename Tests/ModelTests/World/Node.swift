import ContentGate
import Foundation
import Gatefold
import Primitives
import Resilience
import State
import Synchronization
import TestSupport

@testable import Backends

/// The decision core of one process. State outside the store is lost when it ends.
final class Node {
    /// The destination of facts from other processes.
    private final class Inbox: Sendable {
        let backend = Mutex<ProtectedBackend?>(nil)
    }

    let store: FaultInjectingStore
    let protect: (CredentialFacts) -> ProtectedBackend
    let denials: DenialCache
    let cachedSignIns: CachedSignInSessions
    private let clock: WallClock
    private let lists = RevocationLists()
    private let inbox = Inbox()
    private let credentialFacts: CredentialFacts
    private let writer: SharedFactWriter
    private let facts: SharedFactFollower
    private let follower: RevocationFollower
    let catalogues: [CurrentCatalogue]
    private(set) var protected: ProtectedBackend
    var authorizationServices: [AuthorizationService] = []
    /// What the ledger last reported to each publication.
    var purchaseReports: [PurchaseReports] = []
    var gate: Gate

    /// - Parameter name: A name that no other process has or had.
    init(
        _ store: FaultInjectingStore, name: [UInt8], clock: WallClock, catalogues: [CurrentCatalogue],
        protect: @escaping (CredentialFacts) -> ProtectedBackend
    ) throws {
        self.store = store
        self.clock = clock
        self.catalogues = catalogues
        self.protect = protect
        let writer = SharedFactWriter(store: store, origin: name)
        self.writer = writer
        // A few hundred, so that one reader could fill the cache.
        let denials = DenialCache(capacity: 400, clock: clock, record: { writer.add($0) })
        self.denials = denials
        let cachedSignIns = CachedSignInSessions(invalidates: CredentialFacts.invalidates)
        self.cachedSignIns = cachedSignIns
        let credentialFacts = CredentialFacts(record: { writer.add($0) })
        self.credentialFacts = credentialFacts
        protected = protect(credentialFacts)
        gate = try Gate([], clock: clock)
        // Each follows once and returns.
        follower = RevocationFollower(store: store, lists: lists, sleep: { throw CancellationError() })
        facts = SharedFactFollower(
            store: store, writer: writer, clock: clock, sleep: { _ in throw CancellationError() },
            apply: { [inbox, lists] fact, isNew in
                // Like the server.
                if isNew { inbox.backend.withLock { $0 }?.follow(fact) }
                credentialFacts.follow(fact)
                denials.follow(fact)
                for session in cachedSignIns.follow(fact, at: clock.now) {
                    let revocation = Revocation(
                        publication: session.publication, subscriber: session.subscriber, session: session.session,
                        at: max(clock.now, session.issuedAt))
                    lists.list(for: session.publication).add(revocation)
                    try await store.record(revocation)
                }
            })
        inbox.backend.withLock { [protected] in $0 = protected }
    }

    func revocations(_ publication: PublicationID) -> RevocationList { lists.list(for: publication) }

    func replaceBackend() {
        protected = protect(credentialFacts)
        inbox.backend.withLock { [protected] in $0 = protected }
    }

    /// Catches up before the first request.
    func start() async throws {
        try await facts.catchUp()
        try await follower.catchUp()
    }

    /// Writes its new facts to the store.
    func notify() async { try? await writer.flush() }

    /// Reads other processes' facts and discards old data.
    func follow() async {
        await facts.run()
        await follower.run()
    }
}
