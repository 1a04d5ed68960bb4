import ContentGate
import Foundation
import Gatefold
import State
import Synchronization
import TestSupport

@testable import Backends

/// The program's decision core in one process: what is not in the store is gone when it ends.
final class Node {
    /// Where what other processes learnt goes.
    private final class Inbox: Sendable {
        let backend = Mutex<ProtectedBackend?>(nil)
    }

    let store: FallibleStore
    let protect: (CredentialFacts) -> ProtectedBackend
    let denials: DenialCache
    let recalled: RecalledSessions
    private let clock: WallClock
    private let lists = RevocationLists()
    private let inbox = Inbox()
    private let credentialFacts: CredentialFacts
    private let writer: SharedFactWriter
    private let facts: SharedFactFollower
    private let follower: RevocationFollower
    let catalogues: [CurrentCatalogue]
    private(set) var protected: ProtectedBackend
    var proxies: [PublicationProxy] = []
    var gate: Gate

    /// - Parameter name: no other process has it, nor had one.
    init(
        _ store: FallibleStore, name: [UInt8], clock: WallClock, catalogues: [CurrentCatalogue],
        protect: @escaping (CredentialFacts) -> ProtectedBackend
    ) throws {
        self.store = store
        self.clock = clock
        self.catalogues = catalogues
        self.protect = protect
        let writer = SharedFactWriter(store: store, origin: name)
        self.writer = writer
        // A few hundred, so that one reader could fill them.
        let denials = DenialCache(capacity: 400, clock: clock, record: { writer.add($0) })
        self.denials = denials
        let recalled = RecalledSessions(undoes: CredentialFacts.undoes)
        self.recalled = recalled
        let credentialFacts = CredentialFacts(record: { writer.add($0) })
        self.credentialFacts = credentialFacts
        protected = protect(credentialFacts)
        gate = try Gate([], clock: clock)
        // Both look once and return.
        follower = RevocationFollower(store: store, lists: lists, sleep: { throw CancellationError() })
        facts = SharedFactFollower(
            store: store, writer: writer, clock: clock, sleep: { _ in throw CancellationError() },
            apply: { [inbox, lists] fact, isNews in
                // As the server does.
                if isNews { inbox.backend.withLock { $0 }?.follow(fact) }
                credentialFacts.follow(fact)
                denials.follow(fact)
                for session in recalled.follow(fact, at: clock.now) {
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

    /// Before the first request.
    func start() async throws {
        try await facts.catchUp()
        try await follower.catchUp()
    }

    /// Writes what it learnt.
    func tell() async { try? await writer.flush() }

    /// Takes in what others recorded, and forgets what is old.
    func follow() async {
        await facts.run()
        await follower.run()
    }
}
