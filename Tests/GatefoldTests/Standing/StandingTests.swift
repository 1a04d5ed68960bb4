import Foundation
import Gatefold
import TestSupport
import Testing

@Suite("The standing of an answer")
struct StandingTests {
    private let moment = ManualClock().now

    @Test("holds until something it depends on changes")
    func marks() {
        let (one, other) = (ChangeCount(), ChangeCount())
        let standing = Standing([one.mark]).joined(with: Standing([other.mark]))
        #expect(standing.holds(at: moment))
        other.note()
        #expect(!standing.holds(at: moment))
        #expect(Standing([one.mark, other.mark]).holds(at: moment))
    }

    @Test("holds until the earlier of two moments, not at it")
    func until() {
        let standing = Standing(until: moment.addingTimeInterval(2)).joined(
            with: Standing(until: moment.addingTimeInterval(1)))
        #expect(standing.holds(at: moment.addingTimeInterval(0.999)))
        #expect(!standing.holds(at: moment.addingTimeInterval(1)))
    }

    @Test("ends with a revocation that ends anything more, and with no other")
    func revocations() throws {
        let list = RevocationList(publication: .daily)
        let references = ReferenceKey(.one)
        let who = references.reference(to: Subscriber(backend: "house", key: "1"))
        let standing = Standing([list.changes.mark])
        let revocation = Revocation(publication: .daily, subscriber: who, session: nil, before: moment)
        list.add(revocation)
        #expect(!standing.holds(at: moment))
        let after = Standing([list.changes.mark])
        list.add(revocation)
        #expect(after.holds(at: moment))
    }

    @Test("ends with the catalogue")
    func catalogue() {
        let current = CurrentCatalogue()
        let standing = Standing([current.changes.mark])
        current.replace(with: .awaited)
        #expect(!standing.holds(at: moment))
    }
}
