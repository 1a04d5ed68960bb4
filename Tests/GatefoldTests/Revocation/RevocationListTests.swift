import Foundation
import Primitives
import TestSupport
import Testing

@testable import Gatefold

@Suite("Revocation list")
struct RevocationListTests {
    let reader = SubscriberPseudonym(bytes: [1, 2, 3, 4, 5, 6, 7])!
    let session = SessionPseudonym(bytes: [1, 1, 1, 1])!
    let other = SessionPseudonym(bytes: [2, 2, 2, 2])!

    private func subject(_ session: SessionPseudonym, _ issuedAt: TimeInterval) -> SaltSubject {
        SaltSubject(subscriber: reader, session: session, issuedAt: .after(issuedAt))
    }

    @Test("Revokes sessions issued up to the second of the revocation, and none after it")
    func boundary() {
        let list = RevocationList(publication: .daily)
        list.add(Revocation(publication: .daily, subscriber: reader, session: session, at: .after(10.9)))
        #expect(list.isRevoked(subject(session, 10)))
        #expect(!list.isRevoked(subject(session, 11)))
        #expect(!list.isRevoked(subject(other, 0)))
        #expect(list.boundary(subscriber: reader, session: session) == .after(11))
    }

    @Test("Revokes every session issued before the floor, and accepts later revocations at the floor")
    func floor() {
        let list = RevocationList(publication: .daily)
        list.raiseFloor(to: .after(100))
        list.raiseFloor(to: .after(50))
        #expect(list.isRevoked(subject(session, 99)) && list.isRevoked(subject(other, 99)))
        #expect(!list.isRevoked(subject(session, 100)))
        #expect(list.boundary(subscriber: reader, session: session) == .after(100))
        // A sign-out while the clock is behind the floor revokes a session that counts as issued at the floor.
        list.add(list.makeRevocation(reader, session: session, at: .after(20)))
        #expect(list.isRevoked(subject(session, 100)))
        #expect(!list.isRevoked(subject(other, 100)))
        list.discard(expiredBy: .after(1_000))
        #expect(list.isRevoked(subject(other, 99)))
    }

    @Test("Revokes all sessions of a reader at once")
    func all() {
        let list = RevocationList(publication: .daily)
        list.add(Revocation(publication: .daily, subscriber: reader, session: nil, at: .after(10)))
        #expect(list.isRevoked(subject(session, 10)) && list.isRevoked(subject(other, 10)))
        #expect(!list.isRevoked(subject(other, 11)))
    }

    @Test("Two revocations within one second end the sessions opened between them, and none opened after both")
    func withinOneSecond() {
        for scope in [nil, session] {
            let list = RevocationList(publication: .daily)
            list.add(list.makeRevocation(reader, session: scope, at: .after(10.1)))
            let between = list.boundary(subscriber: reader, session: session)
            #expect(between == .after(11))
            list.add(list.makeRevocation(reader, session: scope, at: .after(10.8)))
            #expect(list.isRevoked(SaltSubject(subscriber: reader, session: session, issuedAt: between)))
            let after = list.boundary(subscriber: reader, session: session)
            #expect(!list.isRevoked(SaltSubject(subscriber: reader, session: session, issuedAt: after)))
        }
    }

    @Test("A revocation of all sessions covers one issued after a single revocation in the same second")
    func behindASingleOne() {
        let list = RevocationList(publication: .daily)
        list.add(list.makeRevocation(reader, session: session, at: .after(10.1)))
        let between = list.boundary(subscriber: reader, session: session)
        list.add(list.makeRevocation(reader, at: .after(10.8)))
        #expect(list.isRevoked(SaltSubject(subscriber: reader, session: session, issuedAt: between)))
    }

    @Test("An earlier boundary does not replace a later one, and other publications are ignored")
    func order() {
        let list = RevocationList(publication: .daily)
        list.add(Revocation(publication: .daily, subscriber: reader, session: nil, at: .after(10)))
        list.add(Revocation(publication: .daily, subscriber: reader, session: nil, at: .after(5)))
        list.add(Revocation(publication: .weekly, subscriber: reader, session: nil, at: .after(99)))
        #expect(list.boundary(subscriber: reader, session: session) == .after(11))
        #expect(list.count == 1)
    }

    @Test("Reports whether all sessions of a reader were revoked since an order, and ignores known revocations")
    func since() {
        let list = RevocationList(publication: .daily)
        let all = Revocation(publication: .daily, subscriber: reader, session: nil, at: .after(10))
        let noted = list.order
        list.add(Revocation(publication: .daily, subscriber: reader, session: session, at: .after(10)))
        #expect(!list.hasRevokedAll(of: reader, since: noted))
        list.add(all)
        #expect(list.hasRevokedAll(of: reader, since: noted))
        let later = list.order
        list.add(all)
        #expect(!list.hasRevokedAll(of: reader, since: later))
        list.add(all, expires: .after(50))
        list.discard(expiredBy: .after(99))
        #expect(!list.hasRevokedAll(of: reader, since: noted))
    }

    @Test("Discards only what the store has pruned, and treats a token of that time as expired")
    func discard() {
        let list = RevocationList(publication: .daily)
        list.add(
            Revocation(publication: .daily, subscriber: reader, session: session, at: .after(10)), expires: .after(100))
        #expect(!list.hasPruned(.distantPast))
        list.discard(expiredBy: .after(99))
        #expect(list.count == 1)
        list.discard(expiredBy: .after(100))
        #expect(list.count == 0)
        #expect(list.hasPruned(.after(100)) && !list.hasPruned(.after(101)))
        // An earlier value from another process does not move the limit back.
        list.discard(expiredBy: .after(50))
        #expect(list.hasPruned(.after(100)))
    }
}
