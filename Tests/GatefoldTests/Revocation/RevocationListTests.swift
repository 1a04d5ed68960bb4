import Foundation
import TestSupport
import Testing

@testable import Gatefold

@Suite("The list of revocations")
struct RevocationListTests {
    let reader = SubscriberReference(bytes: [1, 2, 3, 4, 5, 6, 7])!
    let session = SessionReference(bytes: [1, 1, 1, 1])!
    let other = SessionReference(bytes: [2, 2, 2, 2])!

    private func holder(_ session: SessionReference, _ issuedAt: TimeInterval) -> SaltHolder {
        SaltHolder(subscriber: reader, session: session, issuedAt: .after(issuedAt))
    }

    @Test("ends what was issued up to the second of the revocation, and nothing after it")
    func boundary() {
        let list = RevocationList(publication: .daily)
        list.add(Revocation(publication: .daily, subscriber: reader, session: session, at: .after(10.9)))
        #expect(list.isRevoked(holder(session, 10)))
        #expect(!list.isRevoked(holder(session, 11)))
        #expect(!list.isRevoked(holder(other, 0)))
        #expect(list.boundary(subscriber: reader, session: session) == .after(11))
    }

    @Test("ends every session issued before its floor, opens none there, and lets no end fall together with it")
    func floor() {
        let list = RevocationList(publication: .daily)
        let mark = list.changes.mark
        list.raiseFloor(to: .after(100))
        #expect(!mark.stands)
        list.raiseFloor(to: .after(50))
        #expect(list.isRevoked(holder(session, 99)) && list.isRevoked(holder(other, 99)))
        #expect(!list.isRevoked(holder(session, 100)))
        #expect(list.boundary(subscriber: reader, session: session) == .after(100))
        // A session that counts as issued at the floor is ended by who signs out while the clock is behind it.
        list.add(list.ending(reader, session: session, at: .after(20)))
        #expect(list.isRevoked(holder(session, 100)))
        #expect(!list.isRevoked(holder(other, 100)))
        list.discard(expiredBy: .after(1_000))
        #expect(list.isRevoked(holder(other, 99)))
    }

    @Test("ends all sessions of a reader at once")
    func all() {
        let list = RevocationList(publication: .daily)
        list.add(Revocation(publication: .daily, subscriber: reader, session: nil, at: .after(10)))
        #expect(list.isRevoked(holder(session, 10)) && list.isRevoked(holder(other, 10)))
        #expect(!list.isRevoked(holder(other, 11)))
    }

    @Test("two orders within one second end what was opened between them, and nothing that is opened after both")
    func withinOneSecond() {
        for scope in [nil, session] {
            let list = RevocationList(publication: .daily)
            list.add(list.ending(reader, session: scope, at: .after(10.1)))
            let between = list.boundary(subscriber: reader, session: session)
            #expect(between == .after(11))
            list.add(list.ending(reader, session: scope, at: .after(10.8)))
            #expect(list.isRevoked(SaltHolder(subscriber: reader, session: session, issuedAt: between)))
            let after = list.boundary(subscriber: reader, session: session)
            #expect(!list.isRevoked(SaltHolder(subscriber: reader, session: session, issuedAt: after)))
        }
    }

    @Test("an order for all sessions lies behind the end of a single one in the same second")
    func behindASingleOne() {
        let list = RevocationList(publication: .daily)
        list.add(list.ending(reader, session: session, at: .after(10.1)))
        let between = list.boundary(subscriber: reader, session: session)
        list.add(list.ending(reader, at: .after(10.8)))
        #expect(list.isRevoked(SaltHolder(subscriber: reader, session: session, issuedAt: between)))
    }

    @Test("takes no earlier boundary for a later one, and none of another publication")
    func order() {
        let list = RevocationList(publication: .daily)
        list.add(Revocation(publication: .daily, subscriber: reader, session: nil, at: .after(10)))
        list.add(Revocation(publication: .daily, subscriber: reader, session: nil, at: .after(5)))
        list.add(Revocation(publication: .weekly, subscriber: reader, session: nil, at: .after(99)))
        #expect(list.boundary(subscriber: reader, session: session) == .after(11))
        #expect(list.count == 1)
    }

    @Test("tells whether all sessions of a reader were ended since, and takes what it has already for nothing new")
    func since() {
        let list = RevocationList(publication: .daily)
        let all = Revocation(publication: .daily, subscriber: reader, session: nil, at: .after(10))
        let noted = list.order
        list.add(Revocation(publication: .daily, subscriber: reader, session: session, at: .after(10)))
        #expect(!list.hasEndedAll(of: reader, since: noted))
        list.add(all)
        #expect(list.hasEndedAll(of: reader, since: noted))
        let later = list.order
        list.add(all)
        #expect(!list.hasEndedAll(of: reader, since: later))
        list.add(all, expires: .after(50))
        list.discard(expiredBy: .after(99))
        #expect(!list.hasEndedAll(of: reader, since: noted))
    }

    @Test("forgets only what the store has forgotten, and takes a token of that time for expired")
    func discard() {
        let list = RevocationList(publication: .daily)
        list.add(
            Revocation(publication: .daily, subscriber: reader, session: session, at: .after(10)), expires: .after(100))
        #expect(!list.hasForgotten(.distantPast))
        list.discard(expiredBy: .after(99))
        #expect(list.count == 1)
        list.discard(expiredBy: .after(100))
        #expect(list.count == 0)
        #expect(list.hasForgotten(.after(100)) && !list.hasForgotten(.after(101)))
        // What another process said earlier takes nothing back.
        list.discard(expiredBy: .after(50))
        #expect(list.hasForgotten(.after(100)))
    }
}
